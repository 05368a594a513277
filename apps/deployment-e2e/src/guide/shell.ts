import { spawn } from 'node:child_process';

export interface Shell {
  /** Commands that later ones may call: functions. */
  define(commands: string): void;
  /** Runs commands, and returns their standard output. Throws with the end of all output if they fail. */
  run(commands: string): Promise<string>;
}

const LINES_SHOWN = 30;

/** Runs commands in bash, in a folder. `env` is added to this process's own. */
export function openShell(folder: string, env: Record<string, string>, log: (text: string) => void): Shell {
  // Root needs no sudo, and may have none.
  let definitions = '[ "$(id -u)" != 0 ] || sudo() { "$@"; }\n';
  return {
    define(commands) {
      definitions += `${commands}\n`;
    },
    async run(commands) {
      const child = spawn('bash', ['-eo', 'pipefail', '-c', `${definitions}\n${commands}`], {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let [all, out] = ['', ''];
      child.stdout.on('data', (part) => (out += String(part)));
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part) => {
          all += String(part);
          log(String(part));
        });
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject).once('close', resolve);
      });
      if (code === 0) return out;
      const last = all.trimEnd().split('\n').slice(-LINES_SHOWN).join('\n');
      throw new Error(`These commands ended with ${String(code)}:\n\n${commands}\n\n${last}`);
    },
  };
}

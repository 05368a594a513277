import { spawn } from 'node:child_process';
import { forgetProcess, guardProcess } from '@farebox/local-services';

const KILL_AFTER_MS = 10_000;

export interface Command {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/**
 * Runs a command that prints to this terminal; resolves to its exit code, 1 where it was ended by a signal. Its
 * process group is its own: when `interrupt` fires, all of it is ended, with everything that it has started.
 */
export async function runCommand(command: Command, interrupt: AbortSignal): Promise<number> {
  if (interrupt.aborted) return 1;
  const child = spawn(command.program, command.args, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) guardProcess(-pid, 'SIGTERM');
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    signalGroup(pid, 'SIGTERM');
    timer = setTimeout(signalGroup, KILL_AFTER_MS, pid, 'SIGKILL');
  };
  interrupt.addEventListener('abort', stop);
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      console.error(`${command.program} cannot be run: ${error.message}`);
      resolve(1);
    });
    child.once('exit', (exitCode) => {
      resolve(exitCode ?? 1);
    });
  });
  clearTimeout(timer);
  interrupt.removeEventListener('abort', stop);
  // What it may have left behind in its group ends with it.
  signalGroup(pid, 'SIGKILL');
  if (pid !== undefined) forgetProcess(-pid);
  return code;
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // nobody is left in it
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BUNDLE = join(__dirname, '../../../dist/account/main.js');
const PEPPERS = `1:${'5a'.repeat(32)}`;

export interface Exit {
  code: number | null;
  stderr: string;
}

export interface AccountProcess {
  port: number;
  /** Every line of its log. */
  log: string[];
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** The environment under which the bundle starts on a free port. */
export function environmentFor(databaseUrl: string): Record<string, string> {
  return { DATABASE_URL: databaseUrl, FAREBOX_KEY_PEPPERS: PEPPERS, FAREBOX_ACCOUNT_PORT: '0' };
}

/** Starts the built bundle alone in an empty folder, as it is deployed, and waits until it says that it is ready. */
export async function startAccountProcess(
  databaseUrl: string,
  additional: Record<string, string> = {},
): Promise<AccountProcess> {
  const { child, log, exited } = spawnBundle({ ...environmentFor(databaseUrl), ...additional });
  const port = await Promise.race([readyPort(child), exited.then(failedStart)]);
  return {
    port,
    log,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs the bundle under an environment that it cannot start in. */
export function runUntilExit(environment: Record<string, string>): Promise<Exit> {
  return spawnBundle(environment).exited;
}

function spawnBundle(environment: Record<string, string>) {
  if (!existsSync(BUNDLE))
    throw new Error('dist/account/main.js is missing: build it with "npx nx build account".');
  const folder = mkdtempSync(join(tmpdir(), 'farebox-account-'));
  copyFileSync(BUNDLE, join(folder, 'main.js'));
  const child = spawn(process.execPath, ['main.js'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

  const log: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => log.push(line));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, stderr });
    });
  });
  return { child, log, exited };
}

function readyPort(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<number> {
  return new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const record = JSON.parse(line) as { event?: string; port?: number };
      if (record.event === 'ready' && record.port !== undefined) resolve(record.port);
    });
  });
}

function failedStart({ code, stderr }: Exit): never {
  throw new Error(`the account service ended with ${String(code)} before it was ready: ${stderr}`);
}

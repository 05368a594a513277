import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Exit {
  code: number | null;
  stderr: string;
}

/** A process that runs only a bundle in an empty folder, as in a deployment. */
export interface BundleProcess {
  child: ChildProcess;
  /** Every line of its log. */
  log: string[];
  /** The log record of its readiness. Rejects if the process ends first. */
  ready: Promise<Record<string, unknown>>;
  exited: Promise<Exit>;
}

/** Starts the built bundle of an app with only this environment. */
export function spawnBundle(app: string, environment: Record<string, string>): BundleProcess {
  const bundle = join(__dirname, `../../../dist/${app}/main.js`);
  if (!existsSync(bundle))
    throw new Error(`dist/${app}/main.js is missing: build it with "npx nx build ${app}".`);
  const folder = mkdtempSync(join(tmpdir(), `farebox-${app}-`));
  copyFileSync(bundle, join(folder, 'main.js'));
  const child = spawn(process.execPath, ['main.js'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

  const log: string[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code) => {
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, stderr });
    });
  });
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.push(line);
      const record = JSON.parse(line) as Record<string, unknown>;
      if (record.event === 'ready') resolve(record);
    });
    void exited.then(({ code }) => {
      reject(new Error(`${app} ended with ${String(code)} before it was ready: ${stderr}`));
    });
  });
  ready.catch(() => undefined); // the caller that awaits it handles the failure
  return { child, log, ready, exited };
}

const PEPPERS = `1:${'5a'.repeat(32)}`;

export interface AccountProcess {
  port: number;
  /** Every line of its log. */
  log: string[];
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** The environment with which the bundle starts on a free port. */
export function environmentFor(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    FAREBOX_KEY_PEPPERS: PEPPERS,
    FAREBOX_WEBHOOK_KEYS: PEPPERS,
    FAREBOX_ACCOUNT_PORT: '0',
    // Generous because a busy machine may stall for many seconds.
    FAREBOX_DATABASE_TIMEOUT: '60s',
  };
}

/** Starts the built bundle, and waits until it is ready. */
export async function startAccountProcess(
  databaseUrl: string,
  additional: Record<string, string> = {},
): Promise<AccountProcess> {
  const { child, log, ready, exited } = spawnBundle('account', {
    ...environmentFor(databaseUrl),
    ...additional,
  });
  const { port } = await ready;
  return {
    port: Number(port),
    log,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs the bundle in an environment in which it cannot start. */
export function runUntilExit(environment: Record<string, string>): Promise<Exit> {
  return spawnBundle('account', environment).exited;
}

/** The worker beside the account service, which sends its mails. */
export interface WorkerProcess {
  /** Every line of its log. */
  log: string[];
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** Starts the built bundle, with its queues in PostgreSQL, and waits until it is ready. */
export async function startWorkerProcess(
  databaseUrl: string,
  additional: Record<string, string> = {},
): Promise<WorkerProcess> {
  const { child, log, ready, exited } = spawnBundle('worker', { DATABASE_URL: databaseUrl, ...additional });
  await ready;
  return {
    log,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs the bundle in an environment in which it cannot start. */
export function runWorkerUntilExit(environment: Record<string, string>): Promise<Exit> {
  return spawnBundle('worker', environment).exited;
}

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  commandLineOf,
  removePostgresData,
  ServiceExitError,
  type ServiceProcess,
} from '@farebox/local-services';
import { z } from 'zod';
import { codeOf, LaunchError } from './launch-error';

/** `.farebox`: the whole state of a local Farebox. */
export interface StateFolder {
  path: string;
  postgres: string;
  /** Contain the passwords of the services for the embedded database. */
  servicePasswordFile: string;
  accountPasswordFile: string;
  workerPasswordFile: string;
  operatorPasswordFile: string;
  logs: string;
  lockFile: string;
  secretsFile: string;
  localFile: string;
}

export function openStateFolder(folder: string): StateFolder {
  const logs = path.join(folder, 'logs');
  mkdirSync(logs, { recursive: true });
  return {
    path: folder,
    postgres: path.join(folder, 'postgres'),
    servicePasswordFile: path.join(folder, 'postgres-service-password'),
    accountPasswordFile: path.join(folder, 'postgres-account-password'),
    workerPasswordFile: path.join(folder, 'postgres-worker-password'),
    operatorPasswordFile: path.join(folder, 'postgres-operator-password'),
    logs,
    lockFile: path.join(folder, 'lock'),
    secretsFile: path.join(folder, 'secrets.json'),
    localFile: path.join(folder, 'local.json'),
  };
}

/** Deletes everything except the lock that this process holds. */
export function emptyStateFolder(state: StateFolder): void {
  removePostgresData(state.postgres);
  for (const name of readdirSync(state.path)) {
    const file = path.join(state.path, name);
    if (file !== state.lockFile) rmSync(file, { recursive: true, force: true });
  }
  mkdirSync(state.logs);
}

const localSchema = z.object({
  /** Clients append `/v1`. */
  base_url: z.string(),
  gateway_url: z.string(),
  account_url: z.string(),
  api_key: z.string(),
  session_token: z.string(),
  account_id: z.string(),
  /** The owner's, for `npm run admin`. */
  database_url: z.string(),
  /** For `npm run admin -- catalog apply`: the catalogue names it. */
  simulated_upstream_url: z.string(),
});

/** `.farebox/local.json`: the address of the local Farebox, and the demo account's credentials. */
export type LocalFile = z.infer<typeof localSchema>;

/** The last run's file; undefined if there is nothing usable. */
export function readLocalFile(file: string): LocalFile | undefined {
  try {
    return localSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Readable by this user only; concurrent readers see the old one or the new one. */
export function writeLocalFile(file: string, content: LocalFile): void {
  const incoming = `${file}.incoming`;
  writeFileSync(incoming, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(incoming, file);
}

const secretsSchema = z.object({
  key_peppers: z.string(),
  answer_keys: z.string(),
  webhook_keys: z.string(),
});

/** Secrets of a local Farebox, each as a variable of the environment holds it. */
export type Secrets = z.output<typeof secretsSchema>;

/** Generated once and kept in a file that only this user can read. Secrets that an older file lacks are added. */
export function provideSecrets(secretsFile: string): Secrets {
  const kept: unknown = existsSync(secretsFile) ? JSON.parse(readFileSync(secretsFile, 'utf8')) : {};
  const known = secretsSchema.partial().parse(kept);
  const secrets = {
    key_peppers: known.key_peppers ?? newSecret(),
    answer_keys: known.answer_keys ?? newSecret(),
    webhook_keys: known.webhook_keys ?? newSecret(),
  };
  if (Object.keys(known).length < Object.keys(secrets).length) write(secretsFile, secrets);
  return secrets;
}

/** Atomic: a start that is killed here must not lose existing secrets. */
function write(secretsFile: string, secrets: Secrets): void {
  const newFile = `${secretsFile}.new`;
  writeFileSync(newFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(newFile, secretsFile);
}

/** The first version of a secret. */
function newSecret(): string {
  return `1:${randomBytes(32).toString('hex')}`;
}

const ATTEMPTS = 3;

/**
 * Takes the lock that lets one Farebox run on a state folder, and returns its release. A lock that a killed process
 * has left is taken over. Throws LaunchError if another one runs.
 */
export function takeRunLock(lockFile: string): () => void {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (createLock(lockFile)) return () => rmSync(lockFile, { force: true });
    const owner = ownerOf(lockFile);
    if (owner !== undefined) {
      throw new LaunchError(
        `Farebox already runs from this checkout (process ${String(owner)}): stop that one first.`,
      );
    }
    rmSync(lockFile, { force: true });
  }
  throw new LaunchError(`The lock ${lockFile} cannot be taken: somebody else is starting Farebox here.`);
}

function createLock(lockFile: string): boolean {
  try {
    const command = commandLineOf(process.pid) ?? '';
    writeFileSync(lockFile, JSON.stringify({ pid: process.pid, command }), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The process that holds the lock; its command line distinguishes it from a later one with the same id. */
function ownerOf(lockFile: string): number | undefined {
  try {
    const { pid, command } = JSON.parse(readFileSync(lockFile, 'utf8')) as { pid: number; command: string };
    return pid !== process.pid && commandLineOf(pid) === command ? pid : undefined;
  } catch {
    return undefined; // gone meanwhile, or cut short by a crash
  }
}

interface Entry {
  stop: () => Promise<unknown>;
}

/** Everything that was started so far. It is stopped in reverse order, so that nothing outlives its dependencies. */
export class RunningStack {
  private readonly entries: Entry[] = [];
  private readonly failures: Promise<never>[] = [];

  /** Adds the process to the running ones, and returns it. */
  add(service: ServiceProcess, stop: () => Promise<unknown> = () => service.stop()): ServiceProcess {
    this.entries.push({ stop });
    const failure = service.exited.then((exit) => {
      throw new ServiceExitError(service.name, exit, service.output.last(20));
    });
    failure.catch(() => undefined); // it is an error only while somebody waits for it
    this.failures.push(failure);
    return service;
  }

  get empty(): boolean {
    return this.entries.length === 0;
  }

  /** Rejects with ServiceExitError as soon as one of the processes has ended. */
  async firstFailure(): Promise<never> {
    return Promise.race(this.failures);
  }

  async stop(): Promise<void> {
    for (const entry of this.entries.splice(0).reverse()) await entry.stop();
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface Interruption {
  signal: AbortSignal;
  /** Resolves when the person has asked to stop. */
  asked: Promise<void>;
}

/** From now on Ctrl-C, SIGTERM and the end of the terminal ask to stop, once or more often. */
export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  const asked = new Promise<void>((resolve) => {
    for (const name of SIGNALS) {
      process.on(name, () => {
        controller.abort();
        resolve();
      });
    }
  });
  return { signal: controller.signal, asked };
}

/** Waits for `work`, but no longer than until `interrupt` fires, and then throws. */
export async function unlessInterrupted<T>(work: Promise<T>, interrupt: AbortSignal): Promise<T> {
  interrupt.throwIfAborted();
  const interrupted = new Promise<never>((_resolve, reject) => {
    interrupt.addEventListener('abort', () => {
      reject(new Error('interrupted'));
    });
  });
  return Promise.race([work, interrupted]);
}

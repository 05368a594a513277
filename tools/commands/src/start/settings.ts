import { createServer } from 'node:net';
import { LaunchError } from './launch-error';

const DEFAULT_PORT = 8080;
const HIGHEST_PORT = 65_535;

export interface Settings {
  /** The address of the base URL. */
  port: number;
  /** The user's own database, in place of the embedded one. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  keyPeppers: string | undefined;
  answerKeys: string | undefined;
}

/** Parses the environment. Throws LaunchError. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return {
    port: readPort(env.FAREBOX_PORT),
    databaseUrl: readUrl('DATABASE_URL', env.DATABASE_URL, /^postgres(?:ql)?:$/),
    redisUrl: readUrl('REDIS_URL', env.REDIS_URL, /^rediss?:$/),
    keyPeppers: env.FAREBOX_KEY_PEPPERS === '' ? undefined : env.FAREBOX_KEY_PEPPERS,
    answerKeys: env.FAREBOX_ANSWER_KEYS === '' ? undefined : env.FAREBOX_ANSWER_KEYS,
  };
}

function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (port >= 1 && port <= HIGHEST_PORT) return port;
  throw new LaunchError(`FAREBOX_PORT must be a port from 1 to ${String(HIGHEST_PORT)}, not "${text}".`);
}

/** The error does not repeat the value: it may contain a password. */
function readUrl(name: string, text: string | undefined, protocol: RegExp): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (URL.canParse(text) && protocol.test(new URL(text).protocol)) return text;
  const example =
    name === 'REDIS_URL' ? 'redis://host:6379' : 'postgresql://user:password@host:5432/database';
  throw new LaunchError(`${name} is not a URL like ${example}.`);
}

/** Throws LaunchError if this process cannot listen on `port` of 127.0.0.1. */
export function assertPortFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${error.code ?? ''})`;
      reject(new LaunchError(`Port ${String(port)} ${reason}: set FAREBOX_PORT to another one.`));
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve();
      });
    });
  });
}

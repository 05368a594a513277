import { createServer } from 'node:net';
import { postgresUrl, redisUrl } from '@farebox/config';
import { LaunchError } from './launch-error';

const DEFAULT_PORT = 8080;
const DEFAULT_OPERATOR_PORT = 8083;
const HIGHEST_PORT = 65_535;

export interface Settings {
  /** The address of the base URL. */
  port: number;
  /** The port of the operator's console. */
  operatorPort: number;
  /** The user's own database, in place of the embedded one. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  keyPeppers: string | undefined;
  answerKeys: string | undefined;
  webhookKeys: string | undefined;
}

/** Parses the environment. Throws LaunchError. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  return {
    port: readPort('FAREBOX_PORT', env.FAREBOX_PORT, DEFAULT_PORT),
    operatorPort: readPort('FAREBOX_OPERATOR_PORT', env.FAREBOX_OPERATOR_PORT, DEFAULT_OPERATOR_PORT),
    databaseUrl: readUrl('DATABASE_URL', env.DATABASE_URL, postgresUrl()),
    redisUrl: readUrl('REDIS_URL', env.REDIS_URL, redisUrl()),
    keyPeppers: env.FAREBOX_KEY_PEPPERS === '' ? undefined : env.FAREBOX_KEY_PEPPERS,
    answerKeys: env.FAREBOX_ANSWER_KEYS === '' ? undefined : env.FAREBOX_ANSWER_KEYS,
    webhookKeys: env.FAREBOX_WEBHOOK_KEYS === '' ? undefined : env.FAREBOX_WEBHOOK_KEYS,
  };
}

function readPort(name: string, text: string | undefined, usual: number): number {
  if (text === undefined || text === '') return usual;
  const port = /^\d{1,5}$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (port >= 1 && port <= HIGHEST_PORT) return port;
  throw new LaunchError(`${name} must be a port from 1 to ${String(HIGHEST_PORT)}, not "${text}".`);
}

/** The error does not repeat the value: it may contain a password. */
function readUrl(
  name: string,
  text: string | undefined,
  field: ReturnType<typeof redisUrl>,
): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (field.safeParse(text).success) return text;
  const example =
    name === 'REDIS_URL' ? 'redis://host:6379' : 'postgresql://user:password@host:5432/database';
  throw new LaunchError(`${name} is not a URL like ${example}.`);
}

/** Throws LaunchError if this process cannot listen on `port` of 127.0.0.1, which the variable `name` sets. */
export function assertPortFree(name: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${error.code ?? ''})`;
      reject(new LaunchError(`Port ${String(port)} ${reason}: set ${name} to another one.`));
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve();
      });
    });
  });
}

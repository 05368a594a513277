import { spawnBundle, type Exit } from './bundle-process';

const PEPPERS = `1:${'5a'.repeat(32)}`;

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

/** Starts the built bundle, and waits until it says that it is ready. */
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

/** Runs the bundle under an environment that it cannot start in. */
export function runUntilExit(environment: Record<string, string>): Promise<Exit> {
  return spawnBundle('account', environment).exited;
}

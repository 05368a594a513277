import { spawnBundle, type Exit } from './bundle-process';

/** The worker beside the account service, which sends its mails. */
export interface WorkerProcess {
  /** Every line of its log. */
  log: string[];
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** Starts the built bundle, with its queues in PostgreSQL, and waits until it says that it is ready. */
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

/** Runs the bundle under an environment that it cannot start in. */
export function runWorkerUntilExit(environment: Record<string, string>): Promise<Exit> {
  return spawnBundle('worker', environment).exited;
}

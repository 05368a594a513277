import type { Environment } from '@farebox/config';
import { createLogger } from '@farebox/observability';
import type { TestDatabase } from '@farebox/testing';
import { compose } from '../src/compose';
import { readConfig } from '../src/config';

/** A worker with its queue, running in its own process. */
export interface RunningWorker {
  /** Its log so far. */
  log(): string;
  /** Waits for a condition, for a bounded time. */
  until(isSo: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

const LONGEST_WAIT_MS = 60_000;

/** `environment`: in addition to the database URL. Without REDIS_URL the queue is kept in that database. */
export async function startWorker(db: TestDatabase, environment: Environment): Promise<RunningWorker> {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const log = createLogger({ service: 'worker', level: 'info', destination });
  const { config } = readConfig({ DATABASE_URL: db.workerUrl, ...environment });
  const worker = await compose(config, log);
  return {
    log: () => lines.join(''),
    async until(isSo) {
      const deadlineMs = Date.now() + LONGEST_WAIT_MS;
      while (!(await isSo())) {
        if (Date.now() > deadlineMs) throw new Error(`the worker did not do it:\n${lines.join('')}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    close: () => worker.close(),
  };
}

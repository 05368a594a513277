import { withTransaction } from '@farebox/database';
import type { JobSender, SentJobName } from '@farebox/jobs';
import { takeFromOutbox, type PostedJob } from '@farebox/mail';
import type { Logger } from '@farebox/observability';
import type { Pool } from 'pg';
import { loopPauseMs, runLoop, type RunningLoop } from './loop';

interface OutboxRelay {
  /** Hands over the outbox until it is empty. Returns the number of jobs. */
  relay: () => Promise<number>;
}

interface OutboxRelayOptions {
  pool: Pool;
  sender: Pick<JobSender, 'send'>;
  /** Called once per row that this version cannot read and leaves to a newer one. */
  onUnreadable: (id: string) => void;
}

/** Rows per transaction. */
export const RELAY_BATCH = 50;

/**
 * Hands jobs from the outbox to the queue: each is added under the id of its row, and the row is deleted by
 * the subsequent commit. A failure in between leaves the row, and the job is added again under the same id.
 * Any number of workers may run concurrently.
 */
export function openOutboxRelay({ pool, sender, onUnreadable }: OutboxRelayOptions): OutboxRelay {
  const unreadable = new Set<string>();

  /** The number of jobs; `undefined` if the batch must be taken again. */
  async function relayBatch(): Promise<number | undefined> {
    try {
      return await withTransaction(pool, async (client) => {
        const taken = await takeFromOutbox(client, { limit: RELAY_BATCH, passOverIds: [...unreadable] });
        if (taken.unreadableIds.length > 0) throw new UnreadableRowsError(taken.unreadableIds);
        await Promise.all(taken.jobs.map((posted) => handOver(sender, posted)));
        return taken.jobs.length;
      });
    } catch (error) {
      if (!(error instanceof UnreadableRowsError)) throw error;
      for (const id of error.ids) {
        unreadable.add(id);
        onUnreadable(id);
      }
      return undefined;
    }
  }

  return {
    async relay() {
      let handedOver = 0;
      for (;;) {
        const count = await relayBatch();
        handedOver += count ?? 0;
        if (count !== undefined && count < RELAY_BATCH) return handedOver;
      }
    },
  };
}

function handOver<Name extends SentJobName>(
  sender: Pick<JobSender, 'send'>,
  { job, id, payload }: PostedJob<Name>,
): Promise<void> {
  return sender.send(job, id, payload);
}

/** Rolls the batch back. */
class UnreadableRowsError extends Error {
  readonly ids: readonly string[];
  constructor(ids: readonly string[]) {
    super('the outbox has rows that cannot be read');
    this.name = 'UnreadableRowsError';
    this.ids = ids;
  }
}

/**
 * Polls the outbox. While the database or the queue is down, it polls less and less often, and logs the
 * failure and the recovery once each.
 */
export function runRelay({ relay }: OutboxRelay, log: Logger, pauseMs = loopPauseMs): RunningLoop {
  return runLoop({
    work: () => relay(),
    pauseMs,
    onTrouble(error) {
      log.warn({ event: 'outbox_not_relayed', error }, 'the outbox cannot be handed over now: it waits');
    },
    onRecovery() {
      log.info({ event: 'outbox_relayed' }, 'the outbox is handed over again');
    },
  });
}

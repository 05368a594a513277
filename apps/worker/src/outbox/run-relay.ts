import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@farebox/observability';
import type { OutboxRelay } from './relay-outbox';

export interface RunningRelay {
  /** Lets what is being handed over be handed over. */
  close(): Promise<void>;
}

const IDLE_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** The pause after an empty outbox, or after so many failures in a row. */
export function relayPauseMs(failures: number): number {
  return Math.min(IDLE_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
}

/**
 * Looks into the outbox again and again. Where database or queue are down it looks less and less often, and says so
 * once, and once more when it is over.
 */
export function runRelay({ relay }: OutboxRelay, log: Logger, pauseMs = relayPauseMs): RunningRelay {
  const closing = new AbortController();

  async function run(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      try {
        await relay();
        if (failures > 0) log.info({ event: 'outbox_relayed' }, 'the outbox is handed over again');
        failures = 0;
      } catch (error) {
        failures++;
        if (failures === 1) {
          log.warn({ event: 'outbox_not_relayed', error }, 'the outbox cannot be handed over now: it waits');
        }
      }
      await sleep(pauseMs(failures), undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

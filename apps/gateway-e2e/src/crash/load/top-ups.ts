import { setTimeout as sleep } from 'node:timers/promises';
import { topUp } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import type pg from 'pg';
import type { Random } from '../../random';

export interface TopUps {
  /** What was credited altogether. Ends when the last one has been answered. */
  stop(): Promise<bigint>;
}

const PAUSE_MS = { least: 100, most: 500 };
const RETRY_PAUSE_MS = 200;
const MAX_TRIES = 150;
const LARGEST_NANO = 500_000;

/** Credits an account, over and over, each time under a reference that is retried until it is answered. */
export function startTopUps(pool: pg.Pool, accountId: string, random: Random): TopUps {
  let isStopped = false;
  let creditedNano = 0n;

  async function run(): Promise<void> {
    for (let count = 1; !isStopped; count++) {
      await sleep(random.between(PAUSE_MS.least, PAUSE_MS.most));
      const amountNano = toNanoUsd(BigInt(random.between(1, LARGEST_NANO)));
      const credit = { accountId, amountNano, method: 'manual', reference: `crash-${String(count)}` };
      await untilAnswered(() => topUp(pool, credit));
      creditedNano += amountNano;
    }
  }

  const running = run();
  // What goes wrong is told at the end.
  running.catch(() => undefined);
  return {
    async stop() {
      isStopped = true;
      await running;
      return creditedNano;
    },
  };
}

/** Where the connection is lost, the account was credited or not: the reference makes that the same. */
async function untilAnswered(credit: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await credit();
      return;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

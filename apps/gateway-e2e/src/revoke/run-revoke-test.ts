import { verifyLedger } from '@farebox/ledger';
import { readBooks } from '../audit/books';
import { createRandom } from '../random';
import { waitUntil } from '../wait-until';
import { audit } from './audit/audit';
import { createKeyChanges } from './changes/change-keys';
import { createMoments } from './changes/history';
import { planRounds, type PlannedRound, type RedisState } from './changes/plan';
import { changeRedis } from './changes/redis-state';
import { runRound } from './changes/run-round';
import { startLoad } from './load/load';
import { createSender } from './load/sender';
import type { RevokeOptions } from './options';
import type { RevokeReport } from './report';
import { startRevokeStand, type RevokeStand } from './stand/stand';

export interface RevokeRun extends RevokeOptions {
  say: (line: string) => void;
  /** Ends the run early, after the round that is under way. */
  interrupt?: AbortSignal | undefined;
}

const CUSTOMERS = 4;
const SAY_EVERY = 20;
/** A charge follows its answer at once. */
const SETTLED_WITHIN_MS = 10_000;

/** Starts the service, takes keys away under load, and holds every answer against what held for its key. */
export async function runRevokeTest(run: RevokeRun): Promise<RevokeReport> {
  const stand = await startRevokeStand({ ...run, customers: CUSTOMERS });
  try {
    return await takeAway(run, stand);
  } finally {
    await stand.close();
  }
}

async function takeAway(run: RevokeRun, stand: RevokeStand): Promise<RevokeReport> {
  const { customers, gatewayUrls, pool } = stand;
  const nextMoment = createMoments();
  const changes = createKeyChanges({ ...stand, nextMoment });
  for (const customer of customers) await changes.create(customer);
  const sender = createSender({ customers, gatewayUrls, nextMoment });
  const rounds: PlannedRound[] = [];
  try {
    const { gateways } = run;
    const load = startLoad({ sender, customers, gateways, clients: run.clients, seed: run.seed });
    const random = createRandom(`${run.seed}/changes`);
    const streams: Promise<unknown>[] = [];
    try {
      await playRounds(run, stand, rounds, (kind) =>
        runRound({ customers, gateways, sender, changes, random, streams }, kind),
      );
      await Promise.all(streams);
    } finally {
      await load.stop();
    }
  } finally {
    await sender.close();
  }

  await waitUntil(
    async () => (await pool.query('SELECT 1 FROM hold LIMIT 1')).rowCount === 0,
    SETTLED_WITHIN_MS,
  );
  const histories = customers.map(({ history }) => history);
  const { attempts } = sender;
  const { upstreamCalls } = stand;
  const { findings, mustBeRefused } = audit({
    attempts,
    histories,
    books: await readBooks(pool),
    upstreamCalls,
  });
  const { differences } = await verifyLedger(pool);
  const wrongBooks = differences.map(({ check, detail }) => `the books: ${check}: ${detail}`);
  return { options: run, rounds, attempts, histories, mustBeRefused, findings: [...findings, ...wrongBooks] };
}

/** Redis comes and goes between the rounds. It is up again after the last one. */
async function playRounds(
  { seed, rounds: count, say, interrupt }: RevokeRun,
  { redis }: RevokeStand,
  done: PlannedRound[],
  play: (kind: PlannedRound['kind']) => Promise<void>,
): Promise<void> {
  let redisState: RedisState = 'up';
  try {
    for (const round of planRounds(createRandom(`${seed}/plan`), count)) {
      if (interrupt?.aborted) break;
      await changeRedis(redis, redisState, round.redis);
      redisState = round.redis;
      await play(round.kind);
      done.push(round);
      if (done.length % SAY_EVERY === 0)
        say(`${String(done.length)} of ${String(count)} rounds, Redis ${redisState}`);
    }
  } finally {
    await changeRedis(redis, redisState, 'up');
  }
}

import { readPrices } from '@farebox/catalog';
import { verifyLedger } from '@farebox/ledger';
import { readBooks } from '../audit/evidence';
import { createRandom } from '../random';
import { waitUntil } from '../../test/whole-service';
import { audit, isServed, type Finding } from './audit';
import {
  CHANGE_KINDS,
  changeRedis,
  createKeyChanges,
  planRounds,
  REDIS_STATES,
  runRound,
  type PlannedRound,
  type RedisState,
} from './changes';
import { createMoments, type History } from './history';
import { createSender, startLoad, type Attempt } from './load';
import type { RevokeOptions } from './options';
import { startRevokeHarness, type RevokeHarness } from './harness';

export interface RevokeRun extends RevokeOptions {
  say: (line: string) => void;
  /** Ends the run early, after the current round. */
  interrupt?: AbortSignal | undefined;
}

const CUSTOMERS = 4;
const SAY_EVERY = 20;
/** A charge follows its answer at once. */
const SETTLED_WITHIN_MS = 10_000;

/** Starts the service, takes keys away under load, and checks every answer against the state of its key. */
export async function runRevokeTest(run: RevokeRun): Promise<RevokeReport> {
  const harness = await startRevokeHarness({ ...run, customers: CUSTOMERS });
  try {
    return await takeAway(run, harness);
  } finally {
    await harness.close();
  }
}

async function takeAway(run: RevokeRun, harness: RevokeHarness): Promise<RevokeReport> {
  const { customers, gatewayUrls, pool } = harness;
  const nextMoment = createMoments();
  const changes = createKeyChanges({ ...harness, nextMoment });
  for (const customer of customers) await changes.create(customer);
  const sender = createSender({ customers, gatewayUrls, nextMoment });
  const rounds: PlannedRound[] = [];
  try {
    const { gateways } = run;
    const load = startLoad({ sender, customers, gateways, clients: run.clients, seed: run.seed });
    const random = createRandom(`${run.seed}/changes`);
    const streams: Promise<unknown>[] = [];
    try {
      await playRounds(run, harness, rounds, (kind) =>
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
  const { upstreamCalls } = harness;
  const { findings, mustBeRefused } = audit({
    attempts,
    histories,
    books: await readBooks(pool),
    upstreamCalls,
  });
  const { differences } = await verifyLedger(pool, { readPrices });
  const wrongBooks = differences.map(({ check, detail }) => `the books: ${check}: ${detail}`);
  return { options: run, rounds, attempts, histories, mustBeRefused, findings: [...findings, ...wrongBooks] };
}

/** Changes the state of Redis between the rounds. It is up again after the last one. */
async function playRounds(
  { seed, rounds: count, say, interrupt }: RevokeRun,
  { redis }: RevokeHarness,
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

/** The actions and findings of a run. */
export interface RevokeReport {
  options: RevokeOptions;
  rounds: readonly PlannedRound[];
  attempts: readonly Attempt[];
  histories: readonly History[];
  /** Requests started after the answer to a change, with rights that it took away. */
  mustBeRefused: number;
  /** Everything that is wrong. */
  findings: readonly Finding[];
}

const MAX_FINDINGS = 50;

/** The run in one line, and a line for each finding. */
export function toText(report: RevokeReport): string {
  const { options, rounds, attempts, mustBeRefused, findings } = report;
  const kinds = CHANGE_KINDS.map((kind) => `${count(rounds, (round) => round.kind === kind)} ${kind}`);
  const redis = REDIS_STATES.map((state) => `${count(rounds, (round) => round.redis === state)} ${state}`);
  const outcomes = [...new Set(attempts.map(({ outcome }) => outcome))]
    .sort()
    .map((outcome) => `${count(attempts, (attempt) => attempt.outcome === outcome)} ${outcome}`);
  const summary =
    `Seed ${options.seed}: ${String(rounds.length)} rounds (${kinds.join(', ')}; Redis ${redis.join(', ')}) on ` +
    `${String(options.gateways)} gateways, ${grouped(attempts.length)} requests (${outcomes.join(', ')}), ` +
    `${grouped(mustBeRefused)} of them started with rights already taken, ` +
    `${grouped(streamsAcross(report))} streams over a change; ${grouped(findings.length)} findings.`;
  const more = findings.length - MAX_FINDINGS;
  return [
    summary,
    ...findings.slice(0, MAX_FINDINGS).map((finding) => `- ${finding}`),
    ...(more > 0 ? [`and ${grouped(more)} more`] : []),
  ].join('\n');
}

/** Streams that ran while their key was taken away, and ended normally. */
export function streamsAcross({ attempts, histories }: RevokeReport): number {
  return attempts.filter(
    ({ asked, outcome, customer, begunAt, endedAt }) =>
      asked.kind === 'stream' &&
      isServed(outcome) &&
      histories[customer]?.some(({ sentAt, answeredAt }) => sentAt > begunAt && answeredAt < endedAt),
  ).length;
}

function count<T>(items: readonly T[], isMeant: (item: T) => boolean): string {
  return grouped(items.filter(isMeant).length);
}

function grouped(number: number): string {
  return number.toLocaleString('en');
}

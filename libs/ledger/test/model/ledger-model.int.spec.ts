import {
  createTestDatabase,
  numberFromEnvironment,
  playLanes,
  randomSeed,
  type TestDatabase,
} from '@farebox/testing';
import { verifyLedger } from '../../src/books/verify-ledger';
import { openGatewayLedger, type GatewayLedger } from '../../src/gateway-ledger';
import { REFUSALS, type Refusal } from '../../src/hold';
import { purgeKeptAnswers } from '../../src/idempotency/kept-answers';
import { generatedRun } from '../trial/generate-run';
import { Turns } from '../trial/judge';
import { fromTally, playRun, type Grounds } from '../trial/play-run';

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
/** Path of one run to repeat, as a failure prints it. */
const PATH = process.env['FAREBOX_TEST_PATH'];
const RUNS = PATH === undefined ? (numberFromEnvironment('FAREBOX_TEST_LEDGER_RUNS') ?? 2_000) : 1;
const LANES = 8;
/** Each refusal occurs at least once in this many runs. */
const RUNS_PER_REFUSAL = 100;
const MINUTES_PER_1_000_RUNS = 5;

let db: TestDatabase;
let grounds: Grounds;

beforeAll(async () => {
  db = await createTestDatabase();
  await db.pool.query(
    `INSERT INTO cohort SELECT 'other', daily_request_cap, daily_spend_cap_nano FROM cohort WHERE name = 'beta'`,
  );
  // One ledger writes row by row and on one connection, the other table by table and on two, regardless of the size
  // of their calls, on the same accounts.
  const [first, second] = await Promise.all([
    openLedger({ fewItems: 1_000, minHalf: Infinity }),
    openLedger({ fewItems: 0, minHalf: 1 }),
  ]);
  grounds = {
    ledger: {
      servicePool: db.servicePool,
      workerPool: db.workerPool,
      operatorPool: db.pool,
      gateways: { first, second },
    },
    losses: new Turns(),
    tally: new Map(),
  };
});

afterAll(async () => {
  const { first, second } = grounds.ledger.gateways;
  await Promise.all([first.close(), second.close()]);
  await db.drop();
});

/** With generous time limits: refusals for slow answers are not tested here. */
function openLedger({ fewItems, minHalf }: { fewItems: number; minHalf: number }): Promise<GatewayLedger> {
  const databaseUrl = new URL(db.serviceUrl);
  databaseUrl.searchParams.set('options', `-c farebox.few_items=${String(fewItems)}`);
  return openGatewayLedger({
    databaseUrl: databaseUrl.href,
    pool: db.servicePool,
    leaseMs: 300_000,
    minHalf,
    admissionTimeoutMs: 60_000,
    settlementTimeoutMs: 60_000,
    onLeaseError: (error) => {
      throw error;
    },
  });
}

describe('for any concurrent operations', () => {
  it(
    'the ledger gives the answers and the books of the model for some order',
    async () => {
      process.stdout.write(`ledger model: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
      const failure = await playLanes({
        arbitrary: generatedRun,
        play: (run) => playRun(grounds, run),
        runs: RUNS,
        lanes: LANES,
        seed: SEED,
        path: PATH,
      });
      if (failure !== undefined) throw new Error(failure);
      process.stdout.write(`ledger model: ${fromTally(grounds.tally)}\n`);
      // The limits of operators have a property of their own: src/limits/never-more.int.spec.ts.
      const rare = REFUSALS.filter(
        (refusal) =>
          refusal !== 'limit_policy' && timesRefused(refusal) < Math.floor(RUNS / RUNS_PER_REFUSAL),
      );
      expect(rare).toEqual([]);
    },
    (1 + RUNS / 1_000) * MINUTES_PER_1_000_RUNS * 60_000,
  );

  it('the check of the books finds nothing', async () => {
    expect((await verifyLedger(db.pool)).differences).toEqual([]);
  });

  it('expired answers are purged eventually, and no others', async () => {
    const before = await countClaims();
    expect(await purgeKeptAnswers(db.pool)).toBe(before.passed);
    expect(await countClaims()).toEqual({ kept: before.kept, passed: 0 });
  });
});

function timesRefused(refusal: Refusal): number {
  return grounds.tally.get(`admit ${refusal}`) ?? 0;
}

async function countClaims(): Promise<{ kept: number; passed: number }> {
  const { rows } = await db.pool.query<{ kept: number; passed: number }>(
    `SELECT count(*) FILTER (WHERE passed)::int AS passed, count(*) FILTER (WHERE NOT passed)::int AS kept
     FROM (SELECT coalesce(expires_at <= clock_timestamp(), false) AS passed FROM idempotency_claim) c`,
  );
  const [row] = rows;
  if (!row) throw new Error('the claims were not counted');
  return row;
}

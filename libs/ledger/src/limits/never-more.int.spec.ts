import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@farebox/flow';
import { toNanoUsd } from '@farebox/money';
import {
  createTestDatabase,
  givenAccount,
  givenApiKey,
  numberFromEnvironment,
  PATIENT_LEDGER,
  randomSeed,
  type TestDatabase,
} from '@farebox/testing';
import fc from 'fast-check';
import { anAdmission, aUsage } from '../../test/ledger-harness';
import {
  admittedOf,
  appliesTo,
  needOf,
  usedOf,
  windowEnd,
  type ModelPolicy,
  type ModelRequest,
  type ModelUse,
} from '../../test/limits/limits-model';
import { installClock } from '../../test/set-clock';
import { verifyLedger } from '../books/verify-ledger';
import { openGatewayLedger, type GatewayLedger } from '../gateway-ledger';
import type { AdmissionResult } from '../hold';
import { openReview, resolveReview } from '../reviews';
import { readAccountLimits, setLimitPolicy } from './limit-policies';
import { LIMIT_MEASURES, LIMIT_WINDOWS, type LimitAttachment, type LimitState } from './limit-states';

// Two gateways with one database, whose clock jumps: one writes row by row, the other table by table.

const SEED = numberFromEnvironment('FAREBOX_TEST_SEED') ?? randomSeed();
const RUNS = numberFromEnvironment('FAREBOX_TEST_LIMIT_RUNS') ?? 80;

let db: TestDatabase;
let clock: Awaited<ReturnType<typeof installClock>>;
let gateways: readonly GatewayLedger[];
/** It only goes forward, over all runs, since the sums of usage are of all accounts. */
let nowMs = Date.now();

beforeAll(async () => {
  db = await createTestDatabase();
  clock = await installClock(db.pool);
  gateways = await Promise.all([openLedger(1_000), openLedger(0)]);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  expect((await verifyLedger(db.pool)).differences).toEqual([]);
  await db.drop();
});

function openLedger(fewItems: number): Promise<GatewayLedger> {
  const databaseUrl = new URL(db.serviceUrl);
  databaseUrl.searchParams.set('options', `-c farebox.few_items=${String(fewItems)}`);
  return openGatewayLedger({
    databaseUrl: databaseUrl.href,
    pool: db.servicePool,
    ...PATIENT_LEDGER,
    onLeaseError: (error) => {
      throw error;
    },
  });
}

const MODELS = ['small', 'large'];
const COHORT = 'limited';

const policy = fc.record({
  measure: fc.constantFrom(...LIMIT_MEASURES),
  per: fc.constantFrom(...LIMIT_WINDOWS),
  most: fc.integer({ min: 1, max: 8 }),
  attachedTo: fc.constantFrom<LimitAttachment>('account', 'cohort', 'key', 'model'),
  isOfModel: fc.boolean(),
});
const request = fc.record({
  gateway: fc.nat(1),
  key: fc.nat(1),
  model: fc.constantFrom(...MODELS),
  tokens: fc.integer({ min: 0, max: 4 }),
  amountNano: fc.bigInt({ min: 0n, max: 4n }),
});
const round = fc.record({
  passesMs: fc.constantFrom(
    0,
    0,
    SECOND_MS,
    30 * SECOND_MS,
    MINUTE_MS,
    HOUR_MS,
    5 * HOUR_MS,
    DAY_MS,
    20 * DAY_MS,
  ),
  requests: fc.array(request, { maxLength: 5 }),
  isAtOnce: fc.boolean(),
  ends: fc.array(
    fc.record({
      how: fc.constantFrom('charge', 'charge', 'release', 'review'),
      which: fc.nat(7),
      tokens: fc.integer({ min: 0, max: 4 }),
      costNano: fc.bigInt({ min: 0n, max: 4n }),
    }),
    { maxLength: 3 },
  ),
  reviewed: fc.option(fc.constantFrom('charge', 'waive')),
  isSummed: fc.boolean(),
});
const run = fc.record({
  policies: fc.uniqueArray(policy, {
    minLength: 1,
    maxLength: 4,
    selector: ({ measure, per, attachedTo, isOfModel }) =>
      `${measure} ${per} ${attachedTo} ${String(isOfModel)}`,
  }),
  rounds: fc.array(round, { minLength: 1, maxLength: 12 }),
});
type Run = typeof run extends fc.Arbitrary<infer Value> ? Value : never;
type Asked = Run['rounds'][number]['requests'][number];

interface Played {
  accountId: string;
  keys: readonly string[];
  policies: readonly ModelPolicy[];
  uses: (ModelUse & { holdId: string })[];
}

async function begin({ policies: given }: Run): Promise<Played> {
  await db.pool.query('DELETE FROM limit_policy');
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000_000n });
  await db.pool.query(
    `INSERT INTO cohort SELECT $1, daily_request_cap, daily_spend_cap_nano FROM cohort WHERE name = 'beta'
     ON CONFLICT DO NOTHING`,
    [COHORT],
  );
  await db.pool.query('UPDATE account SET cohort_name = $2 WHERE id = $1', [accountId, COHORT]);
  const keys = [await givenApiKey(db.pool, accountId), await givenApiKey(db.pool, accountId)];
  const byPlace = new Map<string, ModelPolicy>();
  for (const { measure, per: window, most, attachedTo, isOfModel } of given) {
    const per = measure === 'concurrency' ? undefined : window;
    const model = isOfModel || attachedTo === 'model' ? MODELS[0] : undefined;
    await setLimitPolicy(db.pool, {
      ...{ measure, per, most: BigInt(most), modelId: model },
      accountId: attachedTo === 'account' ? accountId : undefined,
      cohortName: attachedTo === 'cohort' ? COHORT : undefined,
      apiKeyId: attachedTo === 'key' ? keys[0] : undefined,
    });
    // One that is set again replaces the former.
    const key = attachedTo === 'key' ? 0 : undefined;
    const one = { measure, per, most: BigInt(most), attachedTo, key, model };
    byPlace.set(placeOf({ ...one, isOfModel: model !== undefined }), one);
  }
  return { accountId, keys, policies: [...byPlace.values()], uses: [] };
}

const placeOf = (one: Pick<LimitState, 'measure' | 'per' | 'attachedTo' | 'isOfModel'>): string =>
  [one.measure, one.per, one.attachedTo, one.isOfModel].join();

async function ask(
  { accountId, keys }: Played,
  asked: Asked,
): Promise<{ holdId: string; result: AdmissionResult }> {
  const { gateway, key, model: modelId, tokens: mostTokens, amountNano } = asked;
  const customer = { accountId, apiKeyId: keys[key] ?? '' };
  const admission = anAdmission(customer, amountNano, { modelId, mostTokens, cohortName: COHORT });
  return { holdId: admission.holdId, result: await gatewayAt(gateway).admit(admission) };
}

function gatewayAt(number: number): GatewayLedger {
  const gateway = gateways[number % gateways.length];
  if (!gateway) throw new Error('there is no gateway');
  return gateway;
}

/** The states as the model has them, by their policies. */
function statesNow({ policies, uses }: Played, asked: ModelRequest): Map<string, LimitState> {
  const states = policies
    .filter((one) => appliesTo(one, asked))
    .map(({ measure, per, most, attachedTo, model, ...one }): LimitState => {
      const given = { measure, per, most, attachedTo, model, ...one };
      return {
        ...{ measure, per, most, attachedTo, isOfModel: model !== undefined },
        used: usedOf(given, uses, nowMs),
        needed: needOf(given, asked),
        endsAtMs: per && windowEnd(per, nowMs),
      };
    });
  return byPlaceOf(states);
}

function byPlaceOf(states: readonly LimitState[]): Map<string, LimitState> {
  return new Map(states.map((state) => [placeOf(state), state]));
}

function hasRoomFor({ policies, uses }: Played, asked: ModelRequest): boolean {
  return policies.every(
    (one) => !appliesTo(one, asked) || usedOf(one, uses, nowMs) + needOf(one, asked) <= one.most,
  );
}

function note(played: Played, asked: Asked, holdId: string): void {
  played.uses.push({
    ...asked,
    holdId,
    admittedAtMs: nowMs,
    minuteAtMs: nowMs,
    state: 'running',
    endedAtMs: 0,
  });
}

/** The states that the gateway was told, by their policies. */
function statesOf(result: AdmissionResult): Map<string, LimitState> {
  if (result.outcome !== 'admitted' && result.outcome !== 'limit_policy')
    throw new Error(`not a decision of limits: ${result.outcome}`);
  if (!result.limits) return new Map();
  expect(result.limits.atMs).toBe(nowMs);
  return byPlaceOf(result.limits.states);
}

/** One after the other, each decision and each state is the model's. */
async function askInTurn(played: Played, asked: Asked): Promise<void> {
  const expected = statesNow(played, asked);
  const hasRoom = hasRoomFor(played, asked);
  const { holdId, result } = await ask(played, asked);
  expect(result.outcome).toBe(hasRoom ? 'admitted' : 'limit_policy');
  expect(statesOf(result)).toEqual(expected);
  if (hasRoom) note(played, asked, holdId);
}

/** At once, in an order that nobody knows: who is refused has no room afterwards, and each state is one in between. */
async function askAtOnce(played: Played, asked: readonly Asked[]): Promise<void> {
  const before = asked.map((one) => statesNow(played, one));
  const decided = await Promise.all(asked.map((one) => ask(played, one)));
  asked.forEach((one, i) => {
    const { holdId = '', result } = decided[i] ?? {};
    if (result?.outcome === 'admitted') note(played, one, holdId);
  });
  decided.forEach(({ result }, i) => {
    const one = asked[i];
    if (!one) return;
    if (result.outcome === 'limit_policy') expect(hasRoomFor(played, one)).toBe(false);
    const after = statesNow(played, one);
    const told = statesOf(result);
    expect([...told.keys()].sort()).toEqual([...after.keys()].sort());
    for (const [place, { used, needed }] of told) {
      expect(used >= (before[i]?.get(place)?.used ?? 0n)).toBe(true);
      const own = result.outcome === 'admitted' ? needed : 0n;
      expect(used + own <= (after.get(place)?.used ?? 0n)).toBe(true);
    }
  });
}

async function end(
  played: Played,
  { how, which, ...used }: Run['rounds'][number]['ends'][number],
): Promise<void> {
  const running = played.uses.filter(({ state }) => state === 'running');
  const use = running[which % Math.max(running.length, 1)];
  if (!use) return;
  const { holdId } = use;
  const { accountId } = played;
  const gateway = gatewayAt(which);
  if (how === 'release') {
    await gateway.settle({ holdId, accountId });
    played.uses.splice(played.uses.indexOf(use), 1);
    return;
  }
  use.tokens = Math.min(used.tokens, use.tokens);
  if (used.costNano < use.amountNano) use.amountNano = used.costNano;
  const usage = aUsage(use.amountNano, { promptTokens: use.tokens, completionTokens: 0 });
  if (how === 'review') await openReview(db.servicePool, { holdId, accountId, usage });
  else expect(await gateway.settle({ holdId, accountId, usage })).toBe('resolved');
  use.state = how === 'review' ? 'in_review' : 'charged';
  use.endedAtMs = nowMs;
}

async function resolve(played: Played, resolution: 'charge' | 'waive'): Promise<void> {
  const use = played.uses.find(({ state }) => state === 'in_review');
  if (!use) return;
  const given = resolution === 'charge' ? { resolution } : { resolution, note: 'x' };
  await resolveReview(db.pool, use.holdId, { ...given, resolvedBy: 'ada' });
  if (resolution === 'waive') {
    played.uses.splice(played.uses.indexOf(use), 1);
    return;
  }
  // In the minute of its review it counts on there.
  use.minuteAtMs = use.endedAtMs;
  use.state = 'charged';
  use.endedAtMs = nowMs;
}

async function sumUsage(): Promise<void> {
  for (;;) {
    const { rows } = await db.workerPool.query<{ more: boolean }>('SELECT ledger_sum_usage() AS more');
    if (rows[0]?.more !== true) return;
    await sleep(1);
  }
}

async function play(given: Run): Promise<void> {
  const played = await begin(given);
  for (const { passesMs, requests, isAtOnce, ends, reviewed, isSummed } of given.rounds) {
    nowMs += passesMs;
    await clock.set(new Date(nowMs));
    if (isSummed) await sumUsage();
    if (isAtOnce) await askAtOnce(played, requests);
    else for (const asked of requests) await askInTurn(played, asked);
    for (const one of played.policies) expect(admittedOf(one, played.uses, nowMs) <= one.most).toBe(true);
    for (const ended of ends) await end(played, ended);
    if (reviewed) await resolve(played, reviewed);
    await expectShown(played);
  }
  for (const { holdId, state } of played.uses)
    if (state === 'running') await gatewayAt(0).settle({ holdId, accountId: played.accountId });
}

/** What the account itself is shown. */
async function expectShown({ accountId, policies, uses }: Played): Promise<void> {
  const shown = await readAccountLimits(db.accountPool, accountId);
  const expected = policies.map((one) => [one.measure, one.per, one.most, usedOf(one, uses, nowMs)].join());
  expect(shown.map(({ measure, per, most, used }) => [measure, per, most, used].join()).sort()).toEqual(
    expected.sort(),
  );
}

it('two gateways admit what all limits have room for and never more, and tell what is left, whatever the clock does', async () => {
  process.stdout.write(`limits: ${String(RUNS)} runs, FAREBOX_TEST_SEED=${String(SEED)}\n`);
  await clock.set(new Date(nowMs));
  await fc.assert(fc.asyncProperty(run, play), {
    numRuns: RUNS,
    seed: SEED,
    interruptAfterTimeLimit: 240_000,
  });
}, 300_000);

it('what was admitted in a time that comes again, after the clock was set back, counts on', async () => {
  await db.pool.query('DELETE FROM limit_policy');
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const customer = { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
  await setLimitPolicy(db.pool, { accountId, measure: 'requests', per: 'minute', most: 2n });
  const charge = async (): Promise<string> => {
    const admission = anAdmission(customer, 1n);
    const { outcome } = await gatewayAt(0).admit(admission);
    if (outcome === 'admitted') await gatewayAt(0).settle({ ...admission, usage: aUsage(1n) });
    return outcome;
  };
  // In the middle of a minute of the middle of an hour, after all of the runs.
  nowMs = nowMs - (nowMs % HOUR_MS) + 1.5 * HOUR_MS + 30_500;
  await clock.set(new Date(nowMs));
  expect([await charge(), await charge(), await charge()]).toEqual(['admitted', 'admitted', 'limit_policy']);
  await clock.set(new Date(nowMs - 10 * MINUTE_MS));
  expect(await charge()).toBe('limit_policy');
  await clock.set(new Date(nowMs + MINUTE_MS));
  expect([await charge(), await charge(), await charge()]).toEqual(['admitted', 'admitted', 'limit_policy']);
});

it('a limit counts what is reserved, and what was used once it is settled', async () => {
  await db.pool.query('DELETE FROM limit_policy');
  const accountId = await givenAccount(db.pool, { balanceNano: toNanoUsd(1_000n) });
  const customer = { accountId, apiKeyId: await givenApiKey(db.pool, accountId) };
  await setLimitPolicy(db.pool, { accountId, measure: 'tokens', per: 'day', most: 100n });
  const first = anAdmission(customer, 1n, { mostTokens: 80 });
  const second = anAdmission(customer, 1n, { mostTokens: 50 });
  expect((await gatewayAt(0).admit(first)).outcome).toBe('admitted');
  expect((await gatewayAt(1).admit(second)).outcome).toBe('limit_policy');
  await gatewayAt(0).settle({ ...first, usage: aUsage(1n, { promptTokens: 20, completionTokens: 30 }) });
  expect((await gatewayAt(1).admit(second)).outcome).toBe('admitted');
  await gatewayAt(1).settle(second);
});

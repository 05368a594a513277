import { simulate, type Scenario } from './simulation';

/** A call of a millisecond, whatever is in it. */
const scenario = (changed: Partial<Scenario>): Scenario => ({
  callUs: 1_000,
  itemUs: 0,
  accountUs: 0,
  besideUs: 0,
  clientItemUs: 0,
  flushMs: 0,
  connections: 1,
  callers: 1,
  accounts: 1_000_000,
  cores: 1,
  clientsOnSameCores: false,
  ...changed,
});
const rateOf = (changed: Partial<Scenario>): number => simulate(scenario(changed)).pairsPerSecond;

it('one caller has a pair in the time of two calls, and of one wait for the disk', () => {
  expect(rateOf({})).toBeCloseTo(500, -1);
  expect(rateOf({ flushMs: 2 })).toBeCloseTo(250, -1);
  expect(rateOf({ clientItemUs: 1_000 })).toBeCloseTo(250, -1);
});

it('all that waits is one call', () => {
  const { pairsPerSecond, itemsPerCall } = simulate(scenario({ callers: 100 }));
  expect(pairsPerSecond).toBeCloseTo(50_000, -3);
  expect(itemsPerCall).toBe(100);
});

it('no call has more than 512 of a kind', () => {
  expect(simulate(scenario({ callers: 1_500, callUs: 100_000 })).itemsPerCall).toBeLessThanOrEqual(1_024);
});

it('calls, items and accounts have their price, and there is more beside them', () => {
  const prices = { callUs: 80, itemUs: 10, accountUs: 16, besideUs: 3 };
  // Eight items of one account a call.
  expect(simulate(scenario({ ...prices, callers: 8, accounts: 1 })).cpuUsPerPair).toBeCloseTo(
    2 * (10 + 10 + 2) + 3,
    1,
  );
});

it('connections add up until the cores are busy', () => {
  const rates = [1, 2, 4].map((connections) => rateOf({ connections, callers: connections, cores: 2 }));
  expect(rates[1]).toBeCloseTo(2 * (rates[0] ?? 0), -1);
  expect(rates[2]).toBeCloseTo(rates[1] ?? 0, -1);
  expect(simulate(scenario({ connections: 4, callers: 4, cores: 2 })).coresBusy).toBeCloseTo(1, 2);
});

it('connections share the waits for a slow disk', () => {
  const slow = { callUs: 1, flushMs: 10, cores: 8 };
  const one = rateOf({ ...slow, callers: 1 });
  const eight = rateOf({ ...slow, connections: 8, callers: 8 });
  expect(eight / one).toBeGreaterThan(3.5);
  expect(simulate(scenario({ ...slow, connections: 8, callers: 8 })).diskBusy).toBeGreaterThan(0.95);
});

it('connections that meet on one account are one after the other', () => {
  const hot = { accounts: 1, callUs: 100, flushMs: 1, cores: 8, callers: 4 };
  const [one, four] = [1, 4].map((connections) => simulate(scenario({ ...hot, connections })));
  expect(four?.pairsPerSecond).toBeLessThanOrEqual(one?.pairsPerSecond ?? 0);
  // Calls that found it locked were made in vain.
  expect(four?.cpuUsPerPair).toBeGreaterThan(one?.cpuUsPerPair ?? Infinity);
});

it('clients on the same cores take their time from PostgreSQL', () => {
  const both = { callers: 1, connections: 1, clientItemUs: 1_000, cores: 1 };
  expect(rateOf({ ...both, connections: 2, callers: 2, clientsOnSameCores: true })).toBeCloseTo(250, -1);
  expect(rateOf({ ...both, connections: 2, callers: 2 })).toBeGreaterThan(400);
});

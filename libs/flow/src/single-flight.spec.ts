import { singleFlight, SingleFlights } from './single-flight';

it('runs once for all callers during the run, and again afterwards', async () => {
  let runs = 0;
  const ask = singleFlight(() => Promise.resolve(++runs));
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  expect(await ask()).toBe(2);
});

it('fails for all who wait for it, and is retried for the next caller', async () => {
  let runs = 0;
  const ask = singleFlight(() => (++runs === 1 ? Promise.reject(new Error('no')) : Promise.resolve(runs)));
  const outcomes = await Promise.allSettled([ask(), ask()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await ask()).toBe(2);
});

it('runs once for each key', async () => {
  const flights = new SingleFlights<string, string>();
  const asked: string[] = [];
  const ask = (key: string): Promise<string> =>
    flights.run(key, () => {
      asked.push(key);
      return Promise.resolve(key.toUpperCase());
    });
  expect(await Promise.all([ask('a'), ask('b'), ask('a')])).toEqual(['A', 'B', 'A']);
  expect(asked).toEqual(['a', 'b']);
});

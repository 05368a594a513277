import { Refusals } from './load';

const refused = (): Promise<void> => Promise.reject(new Error('503'));

it('a refusal is reported and counted', async () => {
  const told: string[] = [];
  const refusals = new Refusals((message) => told.push(message), 0);
  await refusals.during(Promise.resolve());
  expect(refusals.count).toBe(0);
  await refusals.during(refused());
  expect([refusals.count, told]).toEqual([1, ['503']]);
});

it('too many are a fault', async () => {
  const refusals = new Refusals(() => undefined, 0);
  for (let i = 0; i < 100; i++) await refusals.during(refused());
  await expect(refusals.during(refused())).rejects.toThrow('503');
});

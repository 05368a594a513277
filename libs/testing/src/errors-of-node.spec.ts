import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'nothing',
    (error: unknown) => error,
  );

it("takes Node's own errors for errors, as the services do", async () => {
  const errors = [
    await thrownBy(once(connect(1, '127.0.0.1'), 'connect')),
    await thrownBy(readFile('/nowhere')),
    AbortSignal.abort().reason,
  ];
  for (const error of errors) expect([String(error), error instanceof Error]).toEqual([String(error), true]);
});

it('takes no error for one of another class', () => {
  class Refused extends Error {}
  expect(new Refused() instanceof Error).toBe(true);
  expect(new Error('a') instanceof Refused).toBe(false);
  expect(AbortSignal.abort().reason instanceof Refused).toBe(false);
  expect({ code: 'ECONNRESET' } instanceof Error).toBe(false);
});

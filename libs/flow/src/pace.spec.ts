import { turnsBeside } from '@farebox/testing';
import { BYTES_OF_TURN, joinInTurns, Pace } from './pace';

/** Keeps the event loop busy. */
function work(ms: number): void {
  const endsAtMs = performance.now() + ms;
  while (performance.now() < endsAtMs);
}

it('after each turn of long work, others have not one turn but as much time', async () => {
  const pace = new Pace();
  const { turns } = await turnsBeside(async () => {
    for (let i = 0; i < 10; i++) {
      work(5);
      await pace.giveWay();
    }
  });
  expect(turns).toBeGreaterThan(10 * 3);
});

it('turns that take almost no time are not followed by pauses', async () => {
  const pace = new Pace();
  const set = jest.spyOn(performance, 'now').mockReturnValue(0);
  const { turns } = await turnsBeside(async () => {
    for (let i = 0; i < 100; i++) await pace.giveWay();
  });
  set.mockRestore();
  expect(turns).toBeLessThanOrEqual(101);
});

it('joins pieces in order, with turns of others between them', async () => {
  const pieces = Array.from({ length: 40 }, (_, i) => Buffer.alloc(BYTES_OF_TURN / 4, i));
  let joined: Buffer | undefined;
  const { turns } = await turnsBeside(async () => {
    joined = await joinInTurns(pieces);
  });
  expect(joined?.equals(Buffer.concat(pieces))).toBe(true);
  expect(turns).toBeGreaterThanOrEqual(9);
});

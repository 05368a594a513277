import { setImmediate as nextRound } from 'node:timers/promises';
import { OF_WHAT_IS_DROPPED, ReadingTurns } from './reading-turns';

const CHUNK = 64 * 1024;

/** A source that delivers a chunk whenever it may, up to `chunks` of them, and the number delivered. */
function source(turns: ReadingTurns, owner: string, chunks: number) {
  const one = {
    destroyed: false,
    delivered: 0,
    isPaused: false,
    pause() {
      one.isPaused = true;
    },
    resume() {
      one.isPaused = false;
      one.deliver();
    },
    deliver() {
      while (!one.isPaused && one.delivered < chunks) {
        one.delivered++;
        turns.delivered(owner, one, CHUNK);
      }
    },
  };
  return one;
}

it('lets a single body arrive in one round', () => {
  const body = source(new ReadingTurns(), 'a', 8);
  body.deliver();
  expect(body).toMatchObject({ delivered: 8, isPaused: false });
});

it('reads no more in a round of the event loop than its limit, however many clients send', async () => {
  const turns = new ReadingTurns();
  const bodies = Array.from({ length: 300 }, (_, i) => source(turns, `owner ${String(i % 3)}`, 64));
  for (const body of bodies) body.deliver();
  const total = () => bodies.reduce((sum, { delivered }) => sum + delivered, 0);
  for (let before = total(), round = 0; round < 10; round++, before = total()) {
    await nextRound();
    expect(total() - before).toBeGreaterThan(0);
    expect(total() - before).toBeLessThanOrEqual(16);
  }
});

it("reads a customer's body alongside all those of another one", async () => {
  const turns = new ReadingTurns();
  for (let i = 0; i < 300; i++) source(turns, 'attacker', 64).deliver();
  const body = source(turns, 'customer', 64);
  body.deliver();
  for (let round = 0; body.delivered < 64 && round < 64; round++) await nextRound();
  expect(body.delivered).toBe(64);
});

it('reads all paused sources to the end, except for those that are gone', async () => {
  const turns = new ReadingTurns({ bytes: CHUNK, ms: 0 });
  const bodies = Array.from({ length: 4 }, () => source(turns, 'a', 3));
  for (const body of bodies) body.deliver();
  const [gone] = bodies;
  if (gone) gone.destroyed = true;
  for (let round = 0; round < 20; round++) await nextRound();
  expect(bodies.map(({ delivered }) => delivered)).toEqual([2, 3, 3, 3]);
});

it('reads at most 8 MiB a second of what is dropped, however many clients send', () => {
  jest.useFakeTimers();
  try {
    const turns = new ReadingTurns(OF_WHAT_IS_DROPPED);
    const bodies = Array.from({ length: 300 }, (_, i) => source(turns, `owner ${String(i % 3)}`, 64));
    for (const body of bodies) body.deliver();
    const total = () => bodies.reduce((sum, { delivered }) => sum + delivered, 0);
    const before = total();
    jest.advanceTimersByTime(1_000);
    expect(total()).toBeGreaterThan(before);
    expect((total() - before) * CHUNK).toBeLessThanOrEqual(8 * 1024 * 1024);
  } finally {
    jest.useRealTimers();
  }
});

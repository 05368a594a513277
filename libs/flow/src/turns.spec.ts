import { Rotation, Turns } from './turns';

it('gives one owner after the other a turn, however much each of them asks for', async () => {
  const turns = new Turns({ atOnce: 1 });
  const done: string[] = [];
  const ask = (owner: string): Promise<void> =>
    turns.take(owner, async () => {
      await Promise.resolve();
      done.push(owner);
    });
  await Promise.all([...['a', 'a', 'a', 'a'].map(ask), ask('b'), ask('c'), ask('b')]);
  expect(done).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

it('runs no more at once than its limit, and gives the place of failed work to the next', async () => {
  const turns = new Turns({ atOnce: 2 });
  let [running, most] = [0, 0];
  const work = async (): Promise<void> => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    throw new Error('broken');
  };
  const all = await Promise.allSettled(Array.from({ length: 9 }, (_, i) => turns.take(String(i % 4), work)));
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 'rejected'));
  expect([most, running]).toEqual([2, 0]);
});

/** Work that ends when the test decides. */
function someWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (turns: Turns, owner: string): Promise<void> =>
    turns.take(owner, () => {
      begun.push(owner);
      return new Promise((resolve) => ends.push(resolve));
    });
  return { begun, end: () => ends.shift()?.(), run };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('makes an owner who asks for much wait behind themselves alone', async () => {
  const turns = new Turns({ atOnceOfOwner: 2 });
  const { begun, end, run } = someWork();
  const all = ['greedy', 'greedy', 'greedy', 'modest'].map((owner) => run(turns, owner));
  expect(begun).toEqual(['greedy', 'greedy', 'modest']);
  end();
  await settle();
  expect(begun).toEqual(['greedy', 'greedy', 'modest', 'greedy']);
  for (let i = 0; i < 3; i++) end();
  await Promise.all(all);
});

it('skips an owner who has their share, and returns to them', async () => {
  const turns = new Turns({ atOnce: 2, atOnceOfOwner: 1 });
  const { begun, end, run } = someWork();
  const all = ['a', 'a', 'b', 'c'].map((owner) => run(turns, owner));
  expect(begun).toEqual(['a', 'b']);
  for (const next of ['a', 'c']) {
    end();
    await settle();
    expect(begun.at(-1)).toBe(next);
  }
  end();
  end();
  await Promise.all(all);
  expect(begun).toEqual(['a', 'b', 'a', 'c']);
});

/** Keeps the event loop busy. */
function work(): Promise<void> {
  for (const endMs = performance.now() + 5; performance.now() < endMs;);
  return Promise.resolve();
}

describe('an owner who pauses', () => {
  it('leaves the others their turns of the event loop in between', async () => {
    const turns = new Turns({ atOnceOfOwner: 1, pauses: true });
    const othersBefore: number[] = [];
    let others = 0;
    const count = (): void => {
      others++;
      if (othersBefore.length < 5) setImmediate(count);
    };
    setImmediate(count);
    const counted = (): Promise<void> => {
      othersBefore.push(others);
      others = 0;
      return work();
    };
    await Promise.all(Array.from({ length: 5 }, () => turns.take('greedy', counted)));
    expect(othersBefore.slice(1).every((before) => before > 0)).toBe(true);
  });

  it('pauses for as long as they worked if others are served, and otherwise not at all', async () => {
    const turns = new Turns({ atOnceOfOwner: 1, pauses: true });
    const pause = jest.spyOn(globalThis, 'setTimeout');
    await Promise.all(Array.from({ length: 5 }, () => turns.take('greedy', work)));
    expect(pause).not.toHaveBeenCalled();

    let leave = (): void => undefined;
    const other = turns.take('other', () => new Promise<void>((resolve) => (leave = resolve)));
    await Promise.all(Array.from({ length: 5 }, () => turns.take('greedy', work)));
    const pausesMs = pause.mock.calls.map(([, ms]) => ms ?? 0);
    pause.mockRestore();
    expect(pausesMs).toHaveLength(4);
    expect(Math.min(...pausesMs)).toBeGreaterThanOrEqual(5);
    leave();
    await other;
  });
});

describe('a rotation', () => {
  it('hands out one item of each owner in turn, in the order of each', () => {
    const rotation = new Rotation<number>();
    ['a', 'a', 'a', 'b', 'c'].forEach((owner, item) => {
      rotation.add(owner, item);
    });
    const taken: (number | undefined)[] = [];
    while (!rotation.isEmpty) taken.push(rotation.next()?.item);
    expect(taken).toEqual([0, 3, 4, 1, 2]);
    expect(rotation.next()).toBeUndefined();
  });

  it('forgets an item that is removed, and an owner without waiting items', () => {
    const rotation = new Rotation<number>();
    rotation.add('a', 1);
    rotation.add('a', 2);
    expect([rotation.remove('a', 1), rotation.remove('a', 1), rotation.remove('b', 2)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(rotation.next()).toEqual({ owner: 'a', item: 2 });
    expect([rotation.has('a'), rotation.isEmpty]).toEqual([false, true]);
  });
});

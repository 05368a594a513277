import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Coalescer, type CoalescerOptions } from './coalescer';

/** Numbers that wait to be sent, in calls whose replies the test sends. */
function givenCoalescer(options: Pick<CoalescerOptions, 'begins' | 'atOnce'>, most = Infinity) {
  const waiting: number[] = [];
  const calls: number[][] = [];
  const answers: (() => void)[] = [];
  const coalescer = new Coalescer({
    ...options,
    isDue: () => waiting.length > 0,
    send: () => {
      calls.push(waiting.splice(0, most));
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  return {
    coalescer,
    calls,
    waiting,
    ask: (item: number): void => {
      waiting.push(item);
      coalescer.start();
    },
    answer: async () => {
      answers.shift()?.();
      await endOfTurn();
    },
  };
}

it.each(['soon', 'end_of_turn'] as const)(
  'sends together everything that was added together, %s',
  async (begins) => {
    const { calls, ask } = givenCoalescer({ begins });
    for (const item of [1, 2, 3]) ask(item);
    expect(calls).toEqual([]);
    await endOfTurn();
    expect(calls).toEqual([[1, 2, 3]]);
  },
);

it('sends what arrives during a call with the next one, which leaves when that is answered', async () => {
  const { calls, ask, answer } = givenCoalescer({ begins: 'at_once' });
  ask(1);
  for (const item of [2, 3]) ask(item);
  expect(calls).toEqual([[1]]);
  await answer();
  expect(calls).toEqual([[1], [2, 3]]);
  await answer();
  ask(4);
  expect(calls).toEqual([[1], [2, 3], [4]]);
});

it('has no more concurrent calls than its limit', async () => {
  const { calls, ask, answer } = givenCoalescer({ begins: 'at_once', atOnce: 2 }, 2);
  for (let item = 1; item <= 7; item++) ask(item);
  expect(calls).toEqual([[1], [2]]);
  await answer();
  expect(calls).toEqual([[1], [2], [3, 4]]);
  await answer();
  expect(calls).toEqual([[1], [2], [3, 4], [5, 6]]);
});

it('is idle when nothing waits and the last call was answered', async () => {
  const { coalescer, ask, answer } = givenCoalescer({ begins: 'soon' });
  await coalescer.idle();
  ask(1);
  expect(coalescer.isIdle).toBe(false);
  let isIdle = false;
  const idle = coalescer.idle().then(() => (isIdle = true));
  await endOfTurn();
  ask(2);
  await answer();
  expect(isIdle).toBe(false);
  await answer();
  await idle;
  expect(coalescer.isIdle).toBe(true);
});

it('sends the queue at once for an owner that closes it', () => {
  const { coalescer, calls, waiting } = givenCoalescer({ begins: 'end_of_turn' });
  waiting.push(1);
  coalescer.start('at_once');
  expect(calls).toEqual([[1]]);
});

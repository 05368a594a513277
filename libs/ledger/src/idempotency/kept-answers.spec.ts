import type pg from 'pg';
import { createKeptAnswers, Turns } from './kept-answers';

it('a long answer that the database neither takes nor refuses keeps its charge waiting no longer than for its time', async () => {
  const pool = { query: () => new Promise(() => undefined) } as unknown as pg.Pool;
  const answers = createKeptAnswers({ pool, keptBytesPerAccount: 1_000, longestWriteMs: 20 });
  expect(await answers.write({ holdId: 'h', accountId: 'a' }, [Buffer.from('part')])).toBe(false);
});

it('one owner after the other has a turn, however much each of them asks for', async () => {
  const turns = new Turns(1);
  const done: string[] = [];
  const ask = (owner: string): Promise<void> =>
    turns.take(owner, async () => {
      await Promise.resolve();
      done.push(owner);
    });
  await Promise.all([...['a', 'a', 'a', 'a'].map(ask), ask('b'), ask('c'), ask('b')]);
  expect(done).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

it('no more than so much is done at once, and what fails gives its turn away', async () => {
  const turns = new Turns(2);
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

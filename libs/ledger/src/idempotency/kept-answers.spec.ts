import type pg from 'pg';
import { createKeptAnswers } from './kept-answers';

it('a long answer that the database neither takes nor refuses delays its charge for a limited time only', async () => {
  const pool = { query: () => new Promise(() => undefined) } as unknown as pg.Pool;
  const answers = createKeptAnswers({ pool, keptBytesPerAccount: 1_000, longestWriteMs: 20 });
  expect(await answers.write({ holdId: 'h', accountId: 'a' }, [Buffer.from('part')])).toBe(false);
});

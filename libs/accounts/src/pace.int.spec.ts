import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { takeAttempt } from './credential-events';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

const LIMIT = { burst: 3, everyMs: 60_000 };
let number = 0;
const someone = () => ({ what: 'link', who: `someone-${String(++number)}` });
const take = (subject: { what: string; who: string }) => takeAttempt(db.accountPool, subject, LIMIT);

/** Lets this much time pass for all subjects. */
const pass = (time: string): Promise<unknown> =>
  db.pool.query('UPDATE sign_in_throttle SET recovered_at = recovered_at - $1::interval', [time]);

it('attempts are allowed up to the burst, and one more after each interval', async () => {
  const subject = someone();
  expect([await take(subject), await take(subject), await take(subject)]).toEqual([true, true, true]);
  expect(await take(subject)).toBe(false);

  await pass('60 seconds');
  expect(await take(subject)).toBe(true);
  expect(await take(subject)).toBe(false);

  await pass('1 hour');
  expect([await take(subject), await take(subject), await take(subject)]).toEqual([true, true, true]);
  expect(await take(subject)).toBe(false);
});

it('a refused attempt costs nothing', async () => {
  const subject = someone();
  for (let tries = 0; tries < 20; tries++) await take(subject);
  await pass('60 seconds');
  expect(await take(subject)).toBe(true);
});

it('other subjects and other limits are counted separately', async () => {
  const subject = someone();
  for (let tries = 0; tries < 4; tries++) await take(subject);
  expect(await take(someone())).toBe(true);
  expect(await take({ ...subject, what: 'session' })).toBe(true);
  expect(await take({ what: 'li', who: `nk${subject.who}` })).toBe(true);
});

it('concurrent attempts do not exceed the burst', async () => {
  const subject = someone();
  const taken = await Promise.all(Array.from({ length: 40 }, () => take(subject)));
  expect(taken.filter(Boolean)).toHaveLength(LIMIT.burst);
});

it('the table does not reveal whose attempts it counts', async () => {
  await take({ what: 'link', who: 'ada@example.com' });
  const { rows } = await db.pool.query<{ subject: Buffer }>(
    'SELECT subject_sha256 AS subject FROM sign_in_throttle',
  );
  for (const { subject } of rows) {
    expect(subject).toHaveLength(32);
    expect(subject.toString('latin1')).not.toContain('ada');
  }
});

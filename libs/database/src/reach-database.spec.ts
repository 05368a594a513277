import { NotMigratedError } from './assert-migrated';
import { reachDatabase } from './reach-database';

const refused = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

/** A start with a fake clock that only its pauses advance. */
function start(timeoutMs: number) {
  let nowMs = 0;
  const waits: unknown[] = [];
  const reach = reachDatabase({
    timeoutMs,
    onWait: (error) => waits.push(error),
    now: () => nowMs,
    pause: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  });
  return { reach, waits, now: () => nowMs };
}

describe('a starting process', () => {
  it('retries its database until it answers, and reports that it waits', async () => {
    const { reach, waits } = start(60_000);
    let asked = 0;
    const answer = await reach(() => {
      asked++;
      return asked < 5 ? Promise.reject(refused()) : Promise.resolve('there');
    });
    expect([answer, asked]).toEqual(['there', 5]);
    expect(waits).toMatchObject([{ code: 'ECONNREFUSED' }]);
  });

  it('repeats the report while it waits, and gives up when its time is over', async () => {
    const { reach, waits, now } = start(60_000);
    await expect(reach(() => Promise.reject(refused()))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(waits.length).toBe(6);
    expect(now()).toBeGreaterThan(58_000);
    expect(now()).toBeLessThanOrEqual(60_000);
  });

  it('has one time limit for all of its queries', async () => {
    const { reach, now } = start(10_000);
    let asked = 0;
    await reach(() => (now() < 8_000 ? Promise.reject(refused()) : Promise.resolve()));
    const late = () => {
      asked++;
      return Promise.reject(refused());
    };
    await expect(reach(late)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(now()).toBeLessThanOrEqual(10_000);
    expect(asked).toBeGreaterThan(1);
  });

  it('waits for a slow connection and for a starting server', async () => {
    for (const error of [
      new Error('timeout exceeded when trying to connect'),
      Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
    ]) {
      const { reach } = start(60_000);
      let asked = 0;
      await reach(() => (++asked < 3 ? Promise.reject(error) : Promise.resolve()));
      expect(asked).toBe(3);
    }
  });

  it('does not wait for errors that only an operator can fix', async () => {
    for (const error of [
      new NotMigratedError('The database lacks migrations.'),
      Object.assign(new Error('password authentication failed'), { code: '28P01' }),
      Object.assign(new Error('database "d" does not exist'), { code: '3D000' }),
    ]) {
      const { reach, waits } = start(60_000);
      await expect(reach(() => Promise.reject(error))).rejects.toBe(error);
      expect(waits).toEqual([]);
    }
  });
});

import pg from 'pg';
import { waitUntil } from '@farebox/testing';
import { anAdmission, aUsage, openLedgerHarness, type LedgerHarness } from '../test/ledger-harness';
import { hasDiskRoom } from './disk-room';
import { LedgerUnavailableError } from './hold';

// The disk is only said to be full, by a trigger and in place of the look at it. `failover-test --fault primary-disk-full`
// fills one.

let isFull = false;
const looks: string[] = [];
const changes: boolean[] = [];
const diskFull = (): Error => Object.assign(new Error('could not write block'), { code: '53100' });

/** A pool whose look at the disk finds no room while `isFull`. */
function withFullDisk(pool: pg.Pool): pg.Pool {
  return new Proxy(pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name, target) as unknown;
      return (query: string) => {
        if (typeof query !== 'string' || !query.includes('work_mem')) return target.query(query);
        looks.push(query);
        return isFull ? Promise.reject(diskFull()) : target.query(query);
      };
    },
  });
}

let harness: LedgerHarness;
beforeAll(async () => {
  harness = await openLedgerHarness({ onDiskFull: (full) => changes.push(full) }, withFullDisk);
});
afterAll(async () => {
  await harness.close();
});

async function refuseCharges(): Promise<void> {
  await harness.db.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON usage_record FOR EACH ROW EXECUTE FUNCTION refuse()`);
}

it('admits nothing while the disk has no room for charges, and goes on by itself', async () => {
  const { db, ledger } = harness;
  const customer = await harness.givenCustomer(100n);
  const admission = anAdmission(customer, 10n);
  await ledger.admit(admission);
  isFull = true;
  await refuseCharges();
  const { holdId, accountId } = admission;
  await expect(ledger.settle({ holdId, accountId, usage: aUsage(10n) })).rejects.toMatchObject({
    code: '53100',
  });
  await waitUntil(() => !ledger.isConnected, 'the full disk is noticed');
  await expect(ledger.admit(anAdmission(customer, 10n))).rejects.toThrow(LedgerUnavailableError);

  isFull = false;
  await db.pool.query('DROP FUNCTION refuse() CASCADE');
  await waitUntil(() => ledger.isConnected, 'the room is noticed');
  const next = anAdmission(customer, 10n);
  expect(await ledger.admit(next)).toEqual({ outcome: 'admitted' });
  expect(await ledger.settle({ ...next, usage: aUsage(10n) })).toBe('resolved');
  expect(changes).toEqual([true, false]);
});

it('goes on admitting if a charge found no room and the next look does', async () => {
  const { db, ledger } = harness;
  const customer = await harness.givenCustomer(100n);
  const admission = anAdmission(customer, 10n);
  await ledger.admit(admission);
  await refuseCharges();
  const before = looks.length;
  const { holdId, accountId } = admission;
  await expect(ledger.settle({ holdId, accountId, usage: aUsage(10n) })).rejects.toMatchObject({
    code: '53100',
  });
  await db.pool.query('DROP FUNCTION refuse() CASCADE');
  await waitUntil(() => looks.length > before, 'it has looked');
  const next = anAdmission(customer, 10n);
  expect(await ledger.admit(next)).toEqual({ outcome: 'admitted' });
  expect(await ledger.settle({ ...next, usage: aUsage(10n) })).toBe('resolved');
});

describe('the look at the disk', () => {
  it('finds room with the rights of a gateway', async () => {
    expect(await hasDiskRoom(harness.db.servicePool)).toBe(true);
  });

  it('writes more to the disk than a part of the log', async () => {
    const { db } = harness;
    const name = new URL(db.url).pathname.slice(1);
    await db.pool.query(`ALTER DATABASE ${name} SET temp_file_limit = '16MB'`);
    const limited = new pg.Pool({ connectionString: db.serviceUrl, max: 1 });
    await expect(hasDiskRoom(limited)).rejects.toMatchObject({ code: '53400' });
    await limited.end();
  });

  it('finds none if the server says so, and does not know it if something else fails', async () => {
    const failing = (error: Error) => ({ query: () => Promise.reject(error) }) as unknown as pg.Pool;
    expect(await hasDiskRoom(failing(diskFull()))).toBe(false);
    await expect(hasDiskRoom(failing(new Error('Connection terminated')))).rejects.toThrow('terminated');
  });
});

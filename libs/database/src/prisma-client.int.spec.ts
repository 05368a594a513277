import { createTestDatabase, type TestDatabase, PATIENT_POOL } from '@farebox/testing';
import type { Pool } from 'pg';
import { createPool, createPrismaClient, prismaWithin } from './pool';
import { withTransaction } from './transaction';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...PATIENT_POOL, url: database.url, max: 2, applicationName: 'prisma-client-test' });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const caps = { dailyRequestCap: 1, dailySpendCapNano: 1n };
const cohort = (name: string) => ({ name, ...caps });
const committed = async () => {
  const cohorts = await createPrismaClient(pool).cohort.findMany({ orderBy: { name: 'asc' } });
  return cohorts.map(({ name }) => name);
};

describe('prismaWithin', () => {
  it('reads and writes within its transaction, and is rolled back with it', async () => {
    const before = await committed();
    const work = withTransaction(pool, async (client) => {
      const prisma = prismaWithin(client);
      await client.query("INSERT INTO cohort VALUES ('by sql', 1, 1)");
      await prisma.cohort.upsert({ where: { name: 'upserted' }, create: cohort('upserted'), update: caps });
      for (const name of ['made', 'upserted'])
        await prisma.cohort.createMany({ data: [cohort(name)], skipDuplicates: true });
      expect(await prisma.cohort.count()).toBe(before.length + 3);
      expect(await committed()).toEqual(before);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await committed()).toEqual(before);
  });

  it('is committed with its transaction', async () => {
    await withTransaction(pool, (client) => prismaWithin(client).cohort.create({ data: cohort('kept') }));
    expect(await committed()).toContain('kept');
  });

  it('begins no transaction of its own, which would end the surrounding one', async () => {
    const work = withTransaction(pool, async (client) => {
      const prisma = prismaWithin(client);
      const make = () => prisma.cohort.create({ data: cohort('never') });
      await prisma.$transaction([make(), make()]);
    });
    await expect(work).rejects.toThrow('would commit it');
    expect(await committed()).not.toContain('never');
  });
});

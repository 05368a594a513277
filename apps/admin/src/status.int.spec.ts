import { uuidV7 } from '@farebox/auth';
import { openGatewayLedger } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey, PATIENT_LEDGER } from '@farebox/testing';
import { openAdminHarness, runInside, type AdminHarness } from '../test/admin-harness';
import { givenDeadJob } from '../test/dead-jobs';

let harness: AdminHarness;
beforeEach(async () => {
  harness = await openAdminHarness();
});
afterEach(() => harness.close());

describe('admin status', () => {
  it('shows a service that was just set up', async () => {
    expect(await harness.adminJson('status')).toEqual({
      versions: { farebox: '0.1.0', postgres: expect.stringMatching(/^\d+\.\d+/) as string, redis: null },
      migrations: {
        applied: expect.any(Number) as number,
        newest: expect.stringMatching(/^20\d{12}_/) as string,
      },
      catalog_version: 0,
      catalog_scheduled: null,
      queues: {
        kept_in: 'postgres',
        queues: ['farebox', 'farebox-charges', 'farebox-mail'].map((queue) => ({
          ...{ queue, waiting: 0, active: 0, delayed: 0, failed: 0, oldest_waiting_seconds: 0 },
        })),
      },
      outbox: { rows: 0, oldest_seconds: 0 },
      holds: { open: 0, amount: '0.000000000', currency: 'usd', oldest_seconds: 0 },
      open_reviews: {
        gateway_lost: 0,
        usage_over_hold: 0,
        usage_implausible: 0,
        charge_failed: 0,
        response_lost: 0,
      },
      open_disputes: { count: 0, amount: '0.000000000' },
      upstreams: [],
      gateways: [],
      usage: { summed_before: null, lag_seconds: null },
      books: null,
      books_read_whole: null,
      partitions: { end_at: expect.any(Number) as number, rows_beyond: 0 },
    });
    expect((await harness.admin('status')).out).toContain('Gateways:\nNone has a lease.\n');
  });

  it('shows a service in use: its gateway, holds, dead jobs, lag and books', async () => {
    const accountId = await givenAccount(harness.pool, { balanceNano: 1_000_000_000n });
    const apiKeyId = await givenApiKey(harness.pool, accountId);
    const databaseUrl = harness.environment['DATABASE_URL'] ?? '';
    const ledger = await openGatewayLedger({
      ...PATIENT_LEDGER,
      databaseUrl,
      pool: harness.pool,
      onLeaseError: () => undefined,
    });
    const ids = {
      holdId: uuidV7(),
      accountId,
      apiKeyId,
      apiKeyVersion: 1,
      cohortName: 'beta',
      priceVersionId: uuidV7(),
    };
    await ledger.admit({
      ...ids,
      amountNano: toNanoUsd(60n),
      mostTokens: 30,
      modelId: 'small',
      requestId: 'req_1',
    });
    await givenDeadJob(harness);
    await harness.pool.query(`UPDATE usage_sum_state SET summed_before = now() - interval '2 hours'`);
    await harness.pool.query('INSERT INTO ledger_check (checked_at, differences) VALUES (now(), 3)');
    await harness.pool.query(
      `INSERT INTO ledger_check_round (pass, started_at, accounts, entries, differences) VALUES ('whole', now(), 0, 7, 0)`,
    );

    const status = await harness.adminJson('status');
    expect(status).toMatchObject({
      holds: { open: 1, amount: '0.000000060' },
      gateways: [{ live: true, holds: 1, instance_id: expect.any(String) as string }],
      books: { differences: 3 },
      books_read_whole: { finished_at: null, accounts_read: 0, accounts: 1, entries_read: 7 },
    });
    const { queues } = status.queues as { queues: { queue: string; failed: number }[] };
    expect(queues.map(({ queue, failed }) => [queue, failed])).toContainEqual(['farebox-charges', 1]);
    const { lag_seconds } = status.usage as { lag_seconds: number };
    expect(Math.floor(lag_seconds / 3_600)).toBe(2);

    const { out } = await harness.admin('status');
    expect(out).toMatch(/^holds +1 open, 0\.000000060 dollars, the oldest since \d+ s$/m);
    expect(out).toMatch(/^books +3 DIFFERENCES: admin ledger verify, checked \d+ s ago$/m);
    expect(out).toMatch(/^books read whole +0 of 1 accounts since \d+ s, 7 entries$/m);
    expect(out).toMatch(/^partitions +made up to \d{4}-\d\d-01$/m);
    expect(out).toMatch(/^usage +summed up to 2 h 0 min ago$/m);
    await ledger.close();

    await harness.pool.query(`UPDATE gateway_instance SET lease_expires_at = now() - interval '1 minute'`);
    expect(await harness.adminJson('status')).toMatchObject({ gateways: [{ live: false, holds: 1 }] });
    expect((await harness.admin('status')).out).toMatch(/lapsed 1 min \d+ s ago/);
  });

  it('without Redis, shows everything else and exits with 1', async () => {
    const environment = { ...harness.environment, REDIS_URL: 'redis://127.0.0.1:9' };
    const { exitCode, out, err } = await runInside(environment, ['status', '--json']);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      queues: { kept_in: 'redis', queues: null },
      versions: { redis: null },
      holds: { open: 0 },
    });
    expect((await runInside(environment, ['status'])).out).toContain('They cannot be read now: admin doctor');
  });
});

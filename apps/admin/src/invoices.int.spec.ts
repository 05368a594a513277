import { toPublicId } from '@farebox/auth';
import { verifyLedger } from '@farebox/ledger';
import { givenAccount, givenApiKey, givenPastCharge } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
let accountIds: string[];

/** Two accounts, both charged in January 2026, the first one in February as well. */
beforeAll(async () => {
  harness = await openAdminHarness();
  accountIds = [];
  for (const months of [[0, 1], [0]]) {
    const accountId = await givenAccount(harness.pool, { balanceNano: 1_000n });
    const apiKeyId = await givenApiKey(harness.pool, accountId);
    for (const month of months) {
      await givenPastCharge(harness.pool, { accountId, apiKeyId, at: new Date(Date.UTC(2026, month, 9)) });
    }
    accountIds.push(accountId);
  }
});
afterAll(async () => {
  expect((await verifyLedger(harness.pool)).differences).toEqual([]);
  await harness.close();
});

const publicId = (index: number): string => toPublicId('acct', accountIds[index] ?? '');

describe('invoice issue', () => {
  it('issues the invoices of a month, and can be repeated', async () => {
    const issue = (month: string) => harness.adminJson('invoice', 'issue', '--month', month);
    expect(await issue('2026-01')).toEqual({ month: '2026-01', issued: 2, postponed: 0 });
    expect(await issue('2026-01')).toEqual({ month: '2026-01', issued: 0, postponed: 0 });
    expect(await issue('2026-02')).toEqual({ month: '2026-02', issued: 1, postponed: 0 });
  });

  it('refuses a month that is not closed', async () => {
    expect(await harness.admin('invoice', 'issue', '--month', '2099-12')).toEqual({
      exitCode: 1,
      out: '',
      err: 'The month 2099-12 is not closed. Its invoices can be issued one hour after its end (UTC).\n',
    });
  });

  it.each(['2026-13', '2026-1', '2026-01-01', 'october', ''])('refuses the month "%s"', async (month) => {
    expect((await harness.admin('invoice', 'issue', '--month', month)).exitCode).toBe(2);
  });
});

describe('invoice list', () => {
  const list = (...args: string[]) => harness.adminJson('invoice', 'list', ...args);
  const numbersOf = ({ data }: Record<string, unknown>) =>
    (data as { number: string }[]).map(({ number }) => number);

  it('lists all invoices, newest first, in pages', async () => {
    const first = await list('--limit', '2');
    expect(numbersOf(first)).toEqual(['INV-2026-000003', 'INV-2026-000002']);
    expect(first).toMatchObject({ has_more: true });
    expect(await list('--after', String(first.last_id))).toMatchObject({
      data: [{ number: 'INV-2026-000001', account_id: publicId(0), month: '2026-01', total: '0.000000100' }],
      has_more: false,
    });
    const { out } = await harness.admin('invoice', 'list', '--limit', '2');
    expect(out).toContain('More: admin invoice list --limit 2 --after INV-2026-000002\n');
  });

  it('filters by account', async () => {
    const all = (await list()) as { data: { number: string; account_id: string }[] };
    const own = all.data.filter(({ account_id }) => account_id === publicId(0));
    expect(own.length).toBeLessThan(all.data.length);
    expect(await list('--account', publicId(0))).toMatchObject({ data: own });
    const { out } = await harness.admin('invoice', 'list', '--account', publicId(0), '--limit', '1');
    if (own.length > 1)
      expect(out).toContain(`More: admin invoice list --account ${publicId(0)} --limit 1 --after `);
  });

  it('filters by month', async () => {
    expect(numbersOf(await list('--month', '2026-02'))).toEqual(['INV-2026-000003']);
    expect((await harness.admin('invoice', 'list', '--month', '2025-02')).out).toBe(
      'There are no invoices.\n',
    );
  });
});

describe('invoice show', () => {
  it('shows an invoice with its lines', async () => {
    expect(await harness.adminJson('invoice', 'show', 'INV-2026-000003')).toMatchObject({
      number: 'INV-2026-000003',
      month: '2026-02',
      account_id: publicId(0),
      customer: { name: 'Ada' },
      lines: [{ type: 'usage', model: 'small', requests: '1', prompt_tokens: '10', amount: '0.000000100' }],
      total: '0.000000100',
      top_ups: '0.000000000',
    });
    expect((await harness.admin('invoice', 'show', 'INV-2026-000003')).out).toContain('0.000000100  total\n');
  });

  it('reports an unknown invoice', async () => {
    expect((await harness.admin('invoice', 'show', 'INV-2026-000009')).err).toBe(
      'There is no invoice INV-2026-000009.\n',
    );
    expect((await harness.admin('invoice', 'show', '42')).exitCode).toBe(2);
  });
});

import { issueInvoices } from '@farebox/billing';
import { givenApiKey, givenPastCharge } from '@farebox/testing';
import type { Pool } from 'pg';

/** The number of an invoice of the account, for a month that is long over. */
export async function givenInvoice(pool: Pool, accountId: string): Promise<string> {
  const apiKeyId = await givenApiKey(pool, accountId);
  const at = new Date('2026-03-07T00:00:00Z');
  await givenPastCharge(pool, { accountId, apiKeyId, at, modelId: 'small', costNano: 10_500n });
  await issueInvoices(pool, '2026-03-01');
  const { rows } = await pool.query<{ number: string }>('SELECT number FROM invoice WHERE account_id = $1', [
    accountId,
  ]);
  return rows[0]?.number ?? '';
}

import { createSession, findSession } from '@farebox/accounts';
import { fromPublicId, toPublicId } from '@farebox/auth';
import { issueInvoices } from '@farebox/billing';
import { deviceRecord, fundingList, invoiceList } from '@farebox/contracts';
import { topUp } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { givenPastCharge } from '@farebox/testing';
import type { AccountStand, Customer } from '../account-stand';
import { deviceHolder } from '../device-holder';
import { keyHolder } from '../key-holder';
import type { ObjectKind } from './references';

/** Somebody with one thing of every kind. */
export interface Owner {
  customer: Customer;
  ids: Record<ObjectKind, string>;
  /** What stands in his things and in nobody else's: names, addresses, ids in both forms, secrets. */
  canaries: string[];
}

const FUNDED_NANO = toNanoUsd(777_777_777n);

/**
 * `name` goes into everything that he names. His usage is of `month`, the number of a month of 2026, and he gets its
 * invoice.
 */
export async function givenOwner(stand: AccountStand, name: string, month: number): Promise<Owner> {
  const { pool } = stand;
  const customer = await stand.givenCustomer();
  const { accountId } = customer;
  await pool.query('UPDATE account SET name = $2, email = $3 WHERE id = $1', [
    ...[accountId, `name-of-${name}`, `${name}@example.org`],
  ]);
  const { fundingId } = await topUp(pool, {
    ...{ accountId, amountNano: FUNDED_NANO, method: 'manual', reference: `reference-of-${name}` },
  });

  const { key, key_public_id: apiKey } = await keyHolder(customer).create({ name: `key-of-${name}` });
  const usedModel = `model-of-${name}`;
  const chargeId = await givenPastCharge(pool, {
    ...{ accountId, apiKeyId: fromPublicId('key', apiKey) ?? '', modelId: usedModel },
    ...{ at: new Date(Date.UTC(2026, month - 1, 7)), costNano: 1_234_567n },
  });
  await issueInvoices(pool, `2026-${String(month).padStart(2, '0')}-01`);

  const devices = deviceHolder(stand, customer);
  const device = deviceRecord.parse(
    await devices.register({ name: `device-of-${name}`, platform: `platform-of-${name}` }),
  );
  const deviceSide = await devices.signIn(device.device_id);
  const session = await givenSession(stand, accountId, `agent-of-${name}`);

  const firstInvoice = invoiceList.parse((await customer.send('GET', '/v1/billing/invoices')).json).first_id;
  const firstFunding = fundingList.parse((await customer.send('GET', '/v1/billing/funding')).json).first_id;
  expect(firstFunding).toBe(toPublicId('fund', fundingId));
  const ids: Owner['ids'] = {
    api_key: apiKey,
    device: device.device_id,
    session: session.id,
    invoice: String(firstInvoice),
    transaction: toPublicId('txn', chargeId),
    funding: String(firstFunding),
    usage_record: toPublicId('chatcmpl', chargeId),
    used_model: usedModel,
  };
  const secrets = [key, customer.sessionToken, deviceSide.sessionToken, session.token];
  const uuids = [accountId, chargeId, fundingId];
  const canaries = [name, ...Object.values(ids), toPublicId('acct', accountId), ...uuids, ...secrets];
  return { customer, ids, canaries };
}

/** One more session of an account. */
export async function givenSession(
  { pool }: AccountStand,
  accountId: string,
  userAgent: string,
): Promise<{ id: string; token: string }> {
  const { token } = await createSession(accountId, pool, undefined, userAgent);
  const session = await findSession(pool, token);
  return { id: toPublicId('sess', session?.sessionId ?? ''), token };
}

/** Every row that an account has in any table, in its order. */
export async function rowsOf({ pool }: AccountStand, accountId: string): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.column_name = 'account_id' AND c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const sql = `SELECT to_jsonb(t)::text AS row FROM ${name} t WHERE account_id = $1 ORDER BY 1`;
    found[name] = (await pool.query<{ row: string }>(sql, [accountId])).rows.map(({ row }) => row);
  }
  return found;
}

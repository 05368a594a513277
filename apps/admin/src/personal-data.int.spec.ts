import {
  createSession,
  createSignInLink,
  findSession,
  findSignInLink,
  identifyApiKey,
  openAccounts,
  spendSignInLink,
} from '@farebox/accounts';
import { createKeyHasher, toPublicId } from '@farebox/auth';
import { verifyLedger } from '@farebox/ledger';
import { givenAccount } from '@farebox/testing';
import { openAdminHarness, type AdminHarness } from '../test/admin-harness';

let harness: AdminHarness;
beforeEach(async () => {
  harness = await openAdminHarness();
});
afterEach(() => harness.close());

/** A customer who has used everything that keeps something of them. */
async function givenCustomer(balanceNano: bigint) {
  const { pool } = harness;
  const accountId = await givenAccount(pool, { balanceNano });
  const id = toPublicId('acct', accountId);
  await harness.adminJson('account', 'rename', id, '--to', 'Ada Lovelace');
  await harness.adminJson('account', 'email', id, '--to', 'ada.lovelace@example.com', '--yes');
  const { key } = await harness.adminJson('key', 'create', id, '--name', 'lovelace laptop');
  await pool.query(
    `INSERT INTO billing_details (account_id, legal_name, address) VALUES ($1, 'Lovelace Ltd', '12 St James Square')`,
    [accountId],
  );
  await pool.query(
    `INSERT INTO device (id, account_id, name, platform) VALUES (gen_random_uuid(), $1, 'lovelace phone', 'ios')`,
    [accountId],
  );
  const { token } = await createSession(accountId, pool, {
    caller: { network: '203.0.113.0/24', userAgent: 'lovelace browser' },
  });
  const link = await createSignInLink(accountId, pool, 'sign_in');
  return { accountId, id, key: String(key), token, link: link.token };
}

it('an export has everything that is kept of a person, and only of them', async () => {
  const { id } = await givenCustomer(5n);
  await harness.adminJson('account', 'create', '--email', 'bob@example.com', '--name', 'Bob');
  const text = JSON.stringify(await harness.adminJson('account', 'export', id));
  for (const part of [
    ...['Ada Lovelace', 'ada.lovelace@example.com', 'lovelace laptop', 'lovelace phone', 'lovelace browser'],
    ...['Lovelace Ltd', '12 St James Square', '203.0.113.0'],
  ])
    expect(text).toContain(part);
  expect(text).not.toMatch(/bob|secret|hmac|sha256/i);
});

it('an erased account names nobody, lets nobody in, and its books are right', async () => {
  const { pool } = harness;
  const { accountId, id, key, token, link } = await givenCustomer(0n);
  expect(await harness.admin('account', 'erase', id, '--yes')).toMatchObject({ exitCode: 0, err: '' });

  const hasher = createKeyHasher([{ version: 1, secret: Buffer.from('5a'.repeat(32), 'hex') }]);
  expect(await identifyApiKey(pool, hasher, key)).toMatchObject({ status: 'revoked' });
  expect(await findSession(pool, token)).toBeUndefined();
  expect(await findSignInLink(pool, link)).toBeUndefined();
  expect(await harness.adminJson('account', 'show', id)).toMatchObject({
    ...{ name: 'erased', email: `erased-${accountId}@erased.invalid`, invite_status: 'suspended' },
  });

  // All tables but the log of operators, which is kept, and the events, which have a time of their own.
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
       AND c.relname NOT IN ('operator_action', 'credential_event')`,
  );
  const naming: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await pool.query(`SELECT FROM "${name}" t WHERE t::text ~* 'lovelace|St James'`);
    if (rowCount) naming.push(name);
  }
  expect(naming).toEqual([]);
  expect((await verifyLedger(pool)).differences).toEqual([]);
});

it('an account with money is not erased', async () => {
  const { id } = await givenCustomer(5_000_000_000n);
  expect(await harness.admin('account', 'erase', id, '--yes')).toMatchObject({
    exitCode: 1,
    err: `The account ${id} has 5.000000000 dollars: pay them back, and take them by an adjustment.\n`,
  });
  expect(await harness.adminJson('account', 'show', id)).toMatchObject({ name: 'Ada Lovelace' });
});

it('a changed e-mail address is the one that signs in, and the former one has no link any more', async () => {
  const { pool } = harness;
  const { accountId, id, link } = await givenCustomer(0n);
  await harness.adminJson('account', 'email', id, '--to', 'countess@example.com', '--yes');
  const visitor = { caller: { network: null, userAgent: null }, browserToken: 'x' };
  expect(await spendSignInLink(openAccounts(pool), link, visitor)).toBeUndefined();
  const { token } = await createSignInLink(accountId, pool, 'sign_in');
  expect(await findSignInLink(pool, token)).toMatchObject({ email: 'countess@example.com' });
});

it("an e-mail address of another account's is refused", async () => {
  const { id } = await givenCustomer(0n);
  await harness.adminJson('account', 'create', '--email', 'bob@example.com', '--name', 'Bob');
  expect(await harness.admin('account', 'email', id, '--to', 'bob@example.com', '--yes')).toMatchObject({
    exitCode: 1,
    err: 'Another account has that e-mail address.\n',
  });
});

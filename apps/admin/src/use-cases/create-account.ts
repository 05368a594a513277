import { uuidV7 } from '@farebox/ids';
import { openAccountFunds } from '@farebox/ledger';
import type { PoolClient } from 'pg';
import { CommandFailure } from '../command-failure';

/**
 * Creates an invited account with empty funds. The same e-mail and name again answer with the account that is there,
 * so that a script may be run twice. `client` is that of a transaction. Throws `CommandFailure` where the e-mail belongs
 * to an account of another name.
 */
export async function createAccount(
  client: PoolClient,
  { email, name }: { email: string; name: string },
): Promise<{ accountId: string; created: boolean }> {
  const accountId = uuidV7();
  // Waits for another one who is creating it, and then sees his.
  const { rowCount } = await client.query(
    `INSERT INTO account (id, email, name, invite_status) VALUES ($1, $2, $3, 'invited')
     ON CONFLICT (email) DO NOTHING`,
    [accountId, email, name],
  );
  if (rowCount !== 1) return { accountId: await findSameAccount(client, email, name), created: false };
  await openAccountFunds(client, accountId);
  return { accountId, created: true };
}

async function findSameAccount(client: PoolClient, email: string, name: string): Promise<string> {
  const { rows } = await client.query<{ id: string; name: string }>(
    'SELECT id, name FROM account WHERE email = $1',
    [email],
  );
  const [existing] = rows;
  if (!existing) throw new CommandFailure(`The account of ${email} could not be created.`);
  if (existing.name !== name) {
    throw new CommandFailure(
      `The e-mail ${email} belongs to an account with the name "${existing.name}" already.`,
    );
  }
  return existing.id;
}

import { isUniqueViolation, withTransaction } from '@farebox/database';
import { uuidV7 } from '@farebox/ids';
import { openAccountFunds } from '@farebox/ledger';
import type { Pool } from 'pg';
import { CommandFailure } from '../command-failure';

/**
 * Creates an invited account with empty funds. The same e-mail and name again answer with the account that is there,
 * so that a script may be run twice. Throws `CommandFailure` where the e-mail belongs to an account of another name.
 */
export async function createAccount(
  pool: Pool,
  { email, name }: { email: string; name: string },
): Promise<{ accountId: string; created: boolean }> {
  const accountId = uuidV7();
  try {
    await withTransaction(pool, async (client) => {
      await client.query(
        `INSERT INTO account (id, email, name, invite_status) VALUES ($1, $2, $3, 'invited')`,
        [accountId, email, name],
      );
      await openAccountFunds(client, accountId);
    });
    return { accountId, created: true };
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return { accountId: await findSameAccount(pool, email, name), created: false };
  }
}

async function findSameAccount(pool: Pool, email: string, name: string): Promise<string> {
  const { rows } = await pool.query<{ id: string; name: string }>(
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

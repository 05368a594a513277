import { createAccount, type Accounts } from '@farebox/accounts';
import { openAccountFunds } from '@farebox/ledger';
import type { PoolClient } from 'pg';
import { CommandFailure } from '../command-failure';

/**
 * Creates an invited account with empty funds. The same e-mail and name again answer with the account that is there,
 * so that a script may be run twice. Both are of one transaction. Throws `CommandFailure` if the e-mail belongs to an
 * account of another name.
 */
export async function createFundedAccount(
  { accounts, client }: { accounts: Accounts; client: PoolClient },
  given: { email: string; name: string },
): Promise<{ accountId: string; created: boolean }> {
  const { accountId, name, isNew } = await createAccount(accounts, given);
  if (isNew) await openAccountFunds(client, accountId);
  else if (name !== given.name) throw nameTaken(given.email, name);
  return { accountId, created: isNew };
}

export function nameTaken(email: string, name: string): CommandFailure {
  return new CommandFailure(`The e-mail ${email} belongs to an account with the name "${name}" already.`);
}

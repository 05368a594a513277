import { findAccount, hasAccount, type Account, type Accounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import { CommandFailure } from '../command-failure';

/** Throws `CommandFailure` if there is no such account. */
export async function requireAccount(accountId: string, accounts: Accounts): Promise<Account> {
  return requireFound(accountId, await findAccount(accountId, accounts));
}

/** Throws `CommandFailure` if there is no such account. */
export async function requireAccountId(accountId: string, accounts: Accounts): Promise<void> {
  if (!(await hasAccount(accountId, accounts))) throw noSuchAccount(accountId);
}

/** What was found of an account. Throws `CommandFailure` if there is no such account. */
export function requireFound<Found>(accountId: string, found: Found | undefined): Found {
  if (found === undefined) throw noSuchAccount(accountId);
  return found;
}

export function noSuchAccount(accountId: string): CommandFailure {
  return new CommandFailure(`There is no account ${toPublicId('acct', accountId)}.`);
}

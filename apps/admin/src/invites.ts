import {
  createAccount,
  createSignInLink,
  findAccountByEmail,
  markInvited,
  type Accounts,
  type InviteStatus,
  type NamedAccount,
} from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { openAccountFunds, ReferenceTakenError, topUp } from '@farebox/ledger';
import { postInviteMail } from '@farebox/mail';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Pool, PoolClient } from 'pg';
import type { Change } from './audit-log';
import { CommandFailure } from './command-run';

interface Invitation {
  email: string;
  /** Of the person; if it is not given, a new account is named after its address. */
  name: string | undefined;
  creditNano: NanoUsd | undefined;
  /** With a link of its own, which is made when it is sent. */
  isMailed: boolean;
}

export interface Invited {
  accountId: string;
  name: string;
  inviteStatus: InviteStatus;
  /** Whether the credit was given with it. */
  isNew: boolean;
  /** Of the one-time link. It is returned here and nowhere else. */
  token: string;
  expiresAt: Date;
}

/** How a credit that an operator gives with an invite is recorded. */
const METHOD = 'credit';

/**
 * Invites the owner of an e-mail address: finds or creates their account, gives it its starting credit, once however often
 * it is invited, makes a link, and posts a mail. The credit is given now and not when the link is used: making money is the operator's
 * right, not the services', and nobody can spend it before the account is active.
 * An account that was there before has its requests waiting for its lock: it is given the credit in a call of its own.
 * Throws `CommandFailure`: for a suspended account, for another name or another credit than before.
 */
export async function inviteAccount(
  made: Pick<Change, 'client' | 'accounts' | 'noting'>,
  { email, name, creditNano, isMailed }: Invitation,
): Promise<Invited> {
  const { client, accounts, noting } = made;
  const found = await findAccountByEmail(accounts, email);
  const account = found ?? (await createInvited(made, email, name));
  const { accountId } = account;
  if (name !== undefined && account.name !== name) throw nameTaken(email, account.name);
  if (account.inviteStatus === 'suspended') throw isSuspended(accountId);
  if (account.inviteStatus === 'none') await markInvited(accountId, accounts);
  if (creditNano !== undefined) {
    const target = toPublicId('acct', accountId);
    const note = { target, details: { credit: toDecimalUsd(creditNano) }, when: 'created' };
    await giveCredit(found ? noting(note) : client, accountId, creditNano);
  }
  if (isMailed) await postInviteMail(client, accountId);
  const { token, expiresAt } = await createSignInLink(accountId, accounts, 'invite');
  const inviteStatus = account.inviteStatus === 'none' ? 'invited' : account.inviteStatus;
  const isNew = found === undefined;
  return { accountId, name: account.name, inviteStatus, isNew, token, expiresAt };
}

async function createInvited(
  made: Pick<Change, 'client' | 'accounts'>,
  email: string,
  given: string | undefined,
): Promise<NamedAccount> {
  const name = given ?? email.slice(0, email.lastIndexOf('@'));
  const { accountId } = await createFundedAccount(made, { email, name });
  return { accountId, name, inviteStatus: 'invited' };
}

async function giveCredit(
  client: Pick<Pool, 'query'>,
  accountId: string,
  amountNano: NanoUsd,
): Promise<void> {
  const reference = `invite-${toPublicId('acct', accountId)}`;
  try {
    await topUp(client, { accountId, amountNano, method: METHOD, reference });
  } catch (error) {
    if (!(error instanceof ReferenceTakenError)) throw error;
    throw new CommandFailure(
      `The account ${toPublicId('acct', accountId)} was given another starting credit before: nothing changed.`,
    );
  }
}

function isSuspended(accountId: string): CommandFailure {
  const id = toPublicId('acct', accountId);
  return new CommandFailure(
    `The account ${id} is suspended, and an invite does not change that: admin account activate ${id}`,
  );
}

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

function nameTaken(email: string, name: string): CommandFailure {
  return new CommandFailure(`The e-mail ${email} belongs to an account with the name "${name}" already.`);
}

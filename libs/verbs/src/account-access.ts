import {
  type Accounts,
  changeInviteStatus,
  createAccount,
  createSignInLink,
  findAccountByEmail,
  type InviteChange,
  type InviteStatus,
  LINK_LIFETIME_MS,
  markInvited,
  type NamedAccount,
  toSignInUrl,
} from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toUnixSeconds } from '@farebox/api';
import { DAY_MS } from '@farebox/flow';
import { openAccountFunds, ReferenceTakenError, topUp } from '@farebox/ledger';
import { postInviteMail } from '@farebox/mail/queue';
import { type NanoUsd, toDecimalUsd } from '@farebox/money';
import type { Pool, PoolClient } from 'pg';
import { requireFound } from './accounts';
import { readEmail, readName, readPositiveUsd } from './arguments';
import { readAccount } from './named-accounts';
import type { Change } from './audit-log';
import { readPublicUrl } from './environment';
import { CommandFailure } from './failures';
import type { Verb, Verbs } from './verb';
import type { Report } from './report';

const DAYS = LINK_LIFETIME_MS.invite / DAY_MS;

export const accessCommands: Verbs = {
  'account create': {
    help: 'create an invited account; repeated with the same e-mail and name, return the existing account',
    takes: (command) =>
      command
        .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
        .requiredOption('--name <name>', 'name of the customer', readName),
    examples: ['admin account create --email ada@example.com --name Ada'],
    run:
      ({ change }) =>
      async (given: { email: string; name: string }) => {
        await change(async ({ client, accounts, record }) => {
          const { accountId, created } = await createFundedAccount({ client, accounts }, given);
          const id = toPublicId('acct', accountId);
          const json = { account_id: id };
          if (!created) return { json, text: `The account ${id} exists already.`, unchanged: true };
          await record(id);
          return {
            json,
            text: `Created the account ${id}. It has no access until it is activated.`,
          };
        });
      },
  },
  'account invite': {
    help:
      `invite a customer by a one-time link for ${String(DAYS)} days; the worker also mails one if it has a ` +
      'mail server; repeat it for another link',
    takes: (command) =>
      command
        .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
        .option('--name <name>', 'name of the customer; default: the address before the @', readName)
        .option('--credit <dollars>', 'starting credit, given only once', readPositiveUsd)
        .option('--no-mail', 'send no mail: you pass on the link yourself'),
    examples: [
      'admin account invite --email ada@example.com --name Ada --credit 5.00',
      'admin account invite --email ada@example.com --no-mail',
    ],
    run:
      ({ change, environment }) =>
      async (given: GivenInvite) => {
        const publicUrl = readPublicUrl(environment);
        const { email, name, credit, mail } = given;
        await change(async (made) => {
          const invited = await inviteAccount(made, { email, name, creditNano: credit, isMailed: mail });
          await made.record(toPublicId('acct', invited.accountId), {
            credit: credit === undefined || !invited.isNew ? null : toDecimalUsd(credit),
            mail,
          });
          return toReport(invited, given, toSignInUrl(publicUrl, invited.token));
        });
      },
  },
  'account activate': accessRow('activate', 'give an account access'),
  'account suspend': accessRow('suspend', "remove an account's access at once, and end its running requests"),
};

interface GivenInvite {
  email: string;
  name?: string;
  credit?: NanoUsd;
  /** False with --no-mail. */
  mail: boolean;
}

function toReport(
  { accountId, inviteStatus, expiresAt }: Invited,
  { email, credit, mail }: GivenInvite,
  link: string,
): Report {
  const json = {
    account_id: toPublicId('acct', accountId),
    invite_status: inviteStatus,
    link,
    expires_at: toUnixSeconds(expiresAt),
    mail: mail ? 'posted' : 'none',
    ...(credit !== undefined && { credit: toDecimalUsd(credit), currency: 'usd' }),
  };
  const mailed = mail
    ? `The worker mails another one to ${email}, if it has a mail server (FAREBOX_MAIL_URL). The account shows whether it was sent.`
    : `No mail is sent: pass it on to ${email} yourself.`;
  const text = [
    link,
    `This link signs ${email} in, once, until ${expiresAt.toISOString()}.`,
    mailed,
    `The account is ${json.account_id}, ${inviteStatus}.`,
  ].join('\n');
  return { json, text };
}

/** `account activate` and `account suspend`. */
function accessRow(access: InviteChange, help: string): Verb {
  return {
    help,
    takes: (command) => command.argument('<account>', 'acct_…, or its e-mail address', readAccount),
    examples: [`admin account ${access} acct_01jd0000000000000000000000`],
    run:
      ({ change }) =>
      async (accountId: string) => {
        await change(async ({ accounts, record }) => {
          const found = requireFound(accountId, await changeInviteStatus(accountId, accounts, access));
          const { before, after } = found;
          if (after === undefined) {
            throw new CommandFailure(
              `The account has not been activated (it is "${before}"): there is nothing to suspend. ` +
                'To withdraw an invite, erase the account.',
            );
          }
          const id = toPublicId('acct', accountId);
          const report = {
            json: { account_id: id, invite_status: after },
            text: `The account ${id} is ${after}.`,
          };
          if (before === after) return { ...report, unchanged: true };
          await record(id, { invite_status_before: before, invite_status: after });
          return report;
        });
      },
  };
}

interface Invitation {
  email: string;
  /** The customer's name; a new account without one is named after its address. */
  name: string | undefined;
  creditNano: NanoUsd | undefined;
  /** With its own link, created on sending. */
  isMailed: boolean;
}

interface Invited {
  accountId: string;
  name: string;
  inviteStatus: InviteStatus;
  /** Whether this call gave the credit. */
  isNew: boolean;
  /** The token of the one-time link. It is returned only here. */
  token: string;
  expiresAt: Date;
}

/** The payment method of a credit given with an invite. */
const METHOD = 'credit';

/**
 * Invites the owner of an e-mail address: finds or creates their account, gives it its starting credit once
 * however often it is invited, creates a link, and posts a mail. The credit is given now, not when the link
 * is used: only the operator may create money, not the services, and nobody can spend it before the account
 * is active. An existing account gets the credit in a separate call, since its requests wait for its lock.
 * Throws `CommandFailure` for a suspended account, and for a different name or credit than before.
 */
async function inviteAccount(
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
      `The account ${toPublicId('acct', accountId)} was given a different starting credit before: nothing changed.`,
    );
  }
}

function isSuspended(accountId: string): CommandFailure {
  const id = toPublicId('acct', accountId);
  return new CommandFailure(
    `The account ${id} is suspended, and an invite does not change that: activate it.`,
  );
}

/**
 * Creates an invited account without funds. Repeated with the same e-mail and name, it returns the existing
 * account, so that a script may run twice. Account and funds are created in one transaction. Throws
 * `CommandFailure` if the e-mail belongs to an account with another name.
 */
async function createFundedAccount(
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

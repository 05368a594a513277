import { changeInviteStatus, LINK_LIFETIME_MS, toSignInUrl, type InviteChange } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toUnixSeconds } from '@farebox/contracts';
import { DAY_MS } from '@farebox/errors';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import { requireFound } from './accounts';
import { readAccountId, readEmail, readLine, readPositiveUsd } from './arguments';
import { CommandFailure, type CommandRow, type CommandRows, type Report } from './command-run';
import { readPublicUrl } from './config';
import { createFundedAccount, inviteAccount, type Invited } from './invites';

const DAYS = LINK_LIFETIME_MS.invite / DAY_MS;

export const accessCommands: CommandRows = {
  'account create': {
    help: 'create an invited account; the same e-mail and name again answer with the account that is there',
    takes: (command) =>
      command
        .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
        .requiredOption('--name <name>', 'name of the customer', readLine),
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
            text: `Created the account ${id}. It has no access yet: admin account activate ${id}`,
          };
        });
      },
  },
  'account invite': {
    help:
      `invite somebody by a one-time link for ${String(DAYS)} days, and have the worker mail one too, if it has a ` +
      'mail server; may be repeated for another link',
    takes: (command) =>
      command
        .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
        .option('--name <name>', 'name of the customer; default: the address before the @', readLine)
        .option('--credit <dollars>', 'starting credit, given once', readPositiveUsd)
        .option('--no-mail', 'send no mail: you pass the link on yourself'),
    examples: [
      'admin account invite --email ada@example.com --name Ada --credit 5.00',
      'admin account invite --email ada@example.com --no-mail',
    ],
    run:
      ({ change, surroundings }) =>
      async (given: GivenInvite) => {
        const publicUrl = readPublicUrl(surroundings.environment);
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
  'account suspend': accessRow('suspend', "take an account's access away, at once"),
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
    ? `The worker mails another one to ${email}, if it has a mail server (FAREBOX_MAIL_URL): ` +
      `admin account show ${json.account_id}`
    : `No mail was asked for: pass it on to ${email} yourself.`;
  const text = [
    link,
    `This link signs ${email} in, once, until ${expiresAt.toISOString()}.`,
    mailed,
    `The account is ${json.account_id}, ${inviteStatus}.`,
  ].join('\n');
  return { json, text };
}

/** `account activate` and `account suspend`. */
function accessRow(access: InviteChange, help: string): CommandRow {
  return {
    help,
    takes: (command) => command.argument('<account>', 'acct_…', readAccountId),
    examples: [`admin account ${access} acct_01jd0000000000000000000000`],
    run:
      ({ change }) =>
      async (accountId: string) => {
        await change(async ({ accounts, record }) => {
          const found = requireFound(accountId, await changeInviteStatus(accountId, accounts, access));
          const { before, after } = found;
          if (after === undefined) {
            throw new CommandFailure(
              `An account whose invite status is "${before}" has no access to suspend.`,
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

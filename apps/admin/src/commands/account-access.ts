import { changeInviteStatus, LINK_LIFETIME_MS, toSignInUrl, type InviteChange } from '@farebox/accounts';
import { toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readEmail, readLine, readPositiveUsd } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { readPublicUrl } from '../config';
import { requireFound } from '../use-cases/accounts';
import { createFundedAccount } from '../use-cases/create-account';
import { inviteAccount, type Invited } from '../use-cases/invite-account';

export function addCreateCommand(account: Command, { change }: Program): void {
  account
    .command('create')
    .description(
      'create an invited account; the same e-mail and name again answer with the account that is there',
    )
    .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
    .requiredOption('--name <name>', 'name of the customer', readLine)
    .addHelpText('after', '\nExample:\n  admin account create --email ada@example.com --name Ada')
    .action(async (given: { email: string; name: string }) => {
      await change('account create', async ({ client, accounts, record }) => {
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
    });
}

interface GivenInvite {
  email: string;
  name?: string;
  credit?: NanoUsd;
  /** False with --no-mail. */
  mail: boolean;
}

const DAY_MS = 86_400_000;
const DAYS = LINK_LIFETIME_MS.invite / DAY_MS;

export function addInviteCommand(account: Command, { change, surroundings }: Program): void {
  account
    .command('invite')
    .description(
      `invite somebody by a one-time link for ${String(DAYS)} days, and have the worker mail one too, where it has a ` +
        'mail server; may be repeated for another link',
    )
    .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
    .option('--name <name>', 'name of the customer; default: the address before the @', readLine)
    .option('--credit <dollars>', 'starting credit, given once', readPositiveUsd)
    .option('--no-mail', 'send no mail: you pass the link on yourself')
    .addHelpText(
      'after',
      '\nExamples:\n  admin account invite --email ada@example.com --name Ada --credit 5.00\n' +
        '  admin account invite --email ada@example.com --no-mail',
    )
    .action(async (given: GivenInvite) => {
      const publicUrl = readPublicUrl(surroundings.environment);
      const { email, name, credit, mail } = given;
      await change('account invite', async (made) => {
        const invited = await inviteAccount(made, { email, name, creditNano: credit, isMailed: mail });
        await made.record(toPublicId('acct', invited.accountId), {
          credit: credit === undefined || !invited.isNew ? null : toDecimalUsd(credit),
          mail,
        });
        return toReport(invited, given, toSignInUrl(publicUrl, invited.token));
      });
    });
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

export function addActivateCommand(account: Command, program: Program): void {
  addAccessCommand(account, program, 'activate', 'give an account access');
}

export function addSuspendCommand(account: Command, program: Program): void {
  addAccessCommand(account, program, 'suspend', "take an account's access away, at once");
}

function addAccessCommand(
  account: Command,
  { change }: Program,
  access: InviteChange,
  description: string,
): void {
  account
    .command(access)
    .description(description)
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', `\nExample:\n  admin account ${access} acct_01jd0000000000000000000000`)
    .action(async (accountId: string) => {
      await change(`account ${access}`, async ({ accounts, record }) => {
        const found = requireFound(accountId, await changeInviteStatus(accountId, accounts, access));
        const { before, after } = found;
        if (after === undefined) {
          throw new CommandFailure(`An account whose invite status is "${before}" has no access to suspend.`);
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
    });
}

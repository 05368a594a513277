import { LINK_LIFETIME_MS, toSignInUrl } from '@farebox/accounts';
import { toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readEmail, readLine, readPositiveUsd } from '../arguments';
import type { Program, Report } from '../command-run';
import { readPublicUrl } from '../config';
import { inviteAccount, type Invited } from '../use-cases/invite-account';

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

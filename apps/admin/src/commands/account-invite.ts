import { LINK_LIFETIME_MS, toSignInUrl } from '@farebox/auth';
import type { MailConfig } from '@farebox/config';
import { toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import { createMailer, toMailFailure, writeInviteMail, type InviteMail } from '@farebox/mail';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readEmail, readLine, readPositiveUsd } from '../arguments';
import type { Program, Report } from '../command-run';
import { readMailConfig } from '../config';
import { inviteAccount, type Invited } from '../use-cases/invite-account';

interface GivenInvite {
  email: string;
  name?: string;
  credit?: NanoUsd;
}

interface MailOutcome {
  mail: 'sent' | 'failed' | 'not_configured';
  /** Why it failed. Not the server's own words, which may hold the link. */
  mail_failure?: string;
}

const DAY_MS = 86_400_000;
const DAYS = LINK_LIFETIME_MS.invite / DAY_MS;

export function addInviteCommand(account: Command, { run, surroundings }: Program): void {
  account
    .command('invite')
    .description(
      `invite somebody by a one-time link for ${String(DAYS)} days, which is mailed where FAREBOX_MAIL_URL is set; ` +
        'may be repeated for another link',
    )
    .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
    .option('--name <name>', 'name of the customer; default: the address before the @', readLine)
    .option('--credit <dollars>', 'starting credit, given once', readPositiveUsd)
    .addHelpText(
      'after',
      '\nExample:\n  admin account invite --email ada@example.com --name Ada --credit 5.00',
    )
    .action(async ({ email, name, credit }: GivenInvite) => {
      const { publicUrl, mail } = readMailConfig(surroundings.environment);
      await run(async (pool) => {
        const invited = await inviteAccount(pool, { email, name, creditNano: credit });
        const link = toSignInUrl(publicUrl, invited.token);
        const outcome = await sendInvite(mail, { to: email, name: invited.name, link, days: DAYS });
        return toReport(invited, { email, link, outcome, credit });
      });
    });
}

async function sendInvite(mail: MailConfig | undefined, invite: InviteMail): Promise<MailOutcome> {
  if (!mail) return { mail: 'not_configured' };
  try {
    await createMailer(mail).send(writeInviteMail(invite));
    return { mail: 'sent' };
  } catch (error) {
    const { reason, smtpStatus = '' } = toMailFailure(error);
    return { mail: 'failed', mail_failure: `${reason} ${String(smtpStatus)}`.trim() };
  }
}

function toReport(
  { accountId, inviteStatus, expiresAt }: Invited,
  given: { email: string; link: string; outcome: MailOutcome; credit: NanoUsd | undefined },
): Report {
  const { email, link, outcome, credit } = given;
  const json = {
    account_id: toPublicId('acct', accountId),
    invite_status: inviteStatus,
    link,
    expires_at: toUnixSeconds(expiresAt),
    ...outcome,
    ...(credit !== undefined && { credit: toDecimalUsd(credit), currency: 'usd' }),
  };
  const mailed: Record<MailOutcome['mail'], string> = {
    sent: `It was mailed to ${email}.`,
    failed: `It could not be mailed (${outcome.mail_failure ?? ''}): pass it on to ${email} yourself, or try again.`,
    not_configured: `No mail server is set up (FAREBOX_MAIL_URL): pass it on to ${email} yourself.`,
  };
  const text = [
    link,
    `This link signs ${email} in, once, until ${expiresAt.toISOString()}. ${mailed[outcome.mail]}`,
    `The account is ${json.account_id}, ${inviteStatus}.`,
  ].join('\n');
  return { json, text, exitCode: outcome.mail === 'failed' ? 1 : 0 };
}

import type { ClaimedMail, MailAccount, MailKind, MailOutcome } from '@farebox/mail';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** After so long a mail has no meaning any more. A link to sign in is not waited for longer than it would live. */
export const LONGEST_WAIT_MS: Readonly<Record<MailKind, number>> = {
  sign_in: 15 * MINUTE_MS,
  invite: 3 * DAY_MS,
  low_balance: DAY_MS,
};

export interface MailWays {
  hasMailServer: boolean;
  /** Development: links to sign in are written to the log. */
  showsLinks: boolean;
}

export type MailDecision =
  | { step: 'end'; outcome: Extract<MailOutcome, 'expired' | 'not_wanted' | 'no_mail_server'> }
  | { step: 'deliver'; account: MailAccount; isMailed: boolean; isShown: boolean };

/** What is to be done about a mail, by what its account is now. */
export function decideMail({ kind, ageMs, account }: ClaimedMail, ways: MailWays): MailDecision {
  if (account === undefined || !isWanted(kind, account)) return { step: 'end', outcome: 'not_wanted' };
  if (ageMs > LONGEST_WAIT_MS[kind]) return { step: 'end', outcome: 'expired' };
  // The link of an invite is on the operator's terminal already.
  const isShown = ways.showsLinks && kind === 'sign_in';
  if (!ways.hasMailServer && !isShown) return { step: 'end', outcome: 'no_mail_server' };
  return { step: 'deliver', account, isMailed: ways.hasMailServer, isShown };
}

function isWanted(kind: MailKind, { inviteStatus, lowBalanceNano }: MailAccount): boolean {
  switch (kind) {
    case 'sign_in':
      // An account of status "none" has not been invited: its address is as good as unknown.
      return inviteStatus !== 'none';
    case 'invite':
      return inviteStatus === 'invited' || inviteStatus === 'active';
    case 'low_balance':
      return inviteStatus === 'active' && lowBalanceNano !== undefined;
  }
}

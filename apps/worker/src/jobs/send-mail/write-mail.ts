import { LINK_LIFETIME_MS } from '@farebox/accounts';
import { writeInviteMail, writeLowBalanceMail, writeSignInMail, type MailMessage } from '@farebox/mail';
import type { MailAccount, MailKind } from '@farebox/mail';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A mail as it is sent. `makeLink` is called where it carries a link. Throws where it has nothing to tell. */
export async function writeMail(
  kind: MailKind,
  { email: to, name, availableNano, lowBalanceNano }: MailAccount,
  makeLink: (purpose: 'sign_in' | 'invite') => Promise<string>,
): Promise<MailMessage> {
  switch (kind) {
    case 'sign_in': {
      const minutes = LINK_LIFETIME_MS.sign_in / MINUTE_MS;
      return writeSignInMail({ to, link: await makeLink('sign_in'), minutes });
    }
    case 'invite': {
      const days = LINK_LIFETIME_MS.invite / DAY_MS;
      return writeInviteMail({ to, name, link: await makeLink('invite'), days });
    }
    case 'low_balance': {
      if (lowBalanceNano === undefined) throw new Error('the account has no threshold');
      return writeLowBalanceMail({ to, name, availableNano, thresholdNano: lowBalanceNano });
    }
  }
}

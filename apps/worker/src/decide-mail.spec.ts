import type { ClaimedMail, MailAccount, MailKind } from '@farebox/mail';
import { toNanoUsd } from '@farebox/money';
import { decideMail, LONGEST_WAIT_MS } from './mails';

const WITH_SERVER = { hasMailServer: true, showsLinks: false };
const WITHOUT_SERVER = { hasMailServer: false, showsLinks: false };
const IN_DEVELOPMENT = { hasMailServer: false, showsLinks: true };

function aMail(kind: MailKind, account: Partial<MailAccount> = {}, ageMs = 0): ClaimedMail {
  return {
    kind,
    ageMs,
    account: {
      ...{ id: 'a', email: 'ada@example.com', name: 'Ada', language: 'en', inviteStatus: 'active' },
      ...{ availableNano: toNanoUsd(1n), lowBalanceNano: toNanoUsd(2n) },
      topUpOffReason: 'failures',
      ...account,
    },
    operatorAddress: undefined,
    browserSha256: undefined,
    event: { at: new Date(0), network: null, userAgent: null },
    webhook: { id: 'w', url: 'https://hooks.example.com/', reason: 'failures' },
  };
}

const OF_CREDENTIALS = ['new_browser', 'new_api_key', 'new_device'] as const;
const OF_ACCOUNT = ['sign_in', 'invite', 'low_balance', 'top_up_off', 'webhook_disabled'] as const;
const KINDS = [...OF_ACCOUNT, ...OF_CREDENTIALS] as const;

it.each(KINDS)('a mail of kind %s is sent if there is a mail server', (kind) => {
  expect(decideMail(aMail(kind), WITH_SERVER)).toMatchObject({
    step: 'deliver',
    isMailed: true,
    isShown: false,
  });
});

it.each(KINDS)('a mail of kind %s ends without one', (kind) => {
  expect(decideMail(aMail(kind), WITHOUT_SERVER)).toEqual({ step: 'end', outcome: 'no_mail_server' });
});

it('in development a requested link is shown, and also mailed if there is a mail server', () => {
  const mail = aMail('sign_in');
  expect(decideMail(mail, IN_DEVELOPMENT)).toMatchObject({ step: 'deliver', isMailed: false, isShown: true });
  const both = { hasMailServer: true, showsLinks: true };
  expect(decideMail(mail, both)).toMatchObject({ step: 'deliver', isMailed: true, isShown: true });
});

it.each(['invite', 'low_balance', ...OF_CREDENTIALS] as const)(
  'in development a mail of kind %s is not shown',
  (kind) => {
    expect(decideMail(aMail(kind), IN_DEVELOPMENT)).toEqual({ step: 'end', outcome: 'no_mail_server' });
  },
);

it.each(KINDS)('a mail of kind %s is sent until it expires, and not later', (kind) => {
  const longest = LONGEST_WAIT_MS[kind];
  expect(decideMail(aMail(kind, {}, longest), WITH_SERVER).step).toBe('deliver');
  expect(decideMail(aMail(kind, {}, longest + 1), WITH_SERVER)).toEqual({ step: 'end', outcome: 'expired' });
});

it('a link requested for an unknown address has no recipient, however old it is', () => {
  const mail = { ...aMail('sign_in', {}, Infinity), account: undefined };
  for (const ways of [WITH_SERVER, WITHOUT_SERVER, IN_DEVELOPMENT]) {
    expect(decideMail(mail, ways)).toEqual({ step: 'end', outcome: 'not_wanted' });
  }
});

it.each([
  ['sign_in', ['invited', 'active', 'suspended']],
  ['invite', ['invited', 'active']],
  ['low_balance', ['active']],
  ['new_browser', ['none', 'invited', 'active', 'suspended']],
] as const)('a mail of kind %s is for accounts that are %j', (kind, wanted) => {
  const statuses = ['none', 'invited', 'active', 'suspended'] as const;
  const sent = statuses.filter(
    (inviteStatus) => decideMail(aMail(kind, { inviteStatus }), WITH_SERVER).step === 'deliver',
  );
  expect(sent).toEqual(wanted);
});

it('no low-balance mail is sent after the balance has recovered', () => {
  const mail = aMail('low_balance', { lowBalanceNano: undefined });
  expect(decideMail(mail, WITH_SERVER)).toEqual({ step: 'end', outcome: 'not_wanted' });
});

it.each(OF_CREDENTIALS)('a mail of kind %s is not sent if its event has been deleted', (kind) => {
  const mail = { ...aMail(kind), event: undefined };
  expect(decideMail(mail, WITH_SERVER)).toEqual({ step: 'end', outcome: 'not_wanted' });
});

it('no mail about a webhook is sent after it was enabled again, or deleted', () => {
  const mail = { ...aMail('webhook_disabled'), webhook: undefined };
  expect(decideMail(mail, WITH_SERVER)).toEqual({ step: 'end', outcome: 'not_wanted' });
});

describe('the link of an operator', () => {
  const asked = (ageMs = 0): ClaimedMail => ({
    ...aMail('sign_in', {}, ageMs),
    account: undefined,
    operatorAddress: 'ada@example.com',
  });

  it('is sent, or shown, although no account has its address', () => {
    const toOperator = { step: 'deliver', account: undefined };
    expect(decideMail(asked(), WITH_SERVER)).toMatchObject({ ...toOperator, isMailed: true });
    expect(decideMail(asked(), IN_DEVELOPMENT)).toMatchObject({ ...toOperator, isShown: true });
  });

  it('ends without a mail server, or once it would not be valid any more', () => {
    expect(decideMail(asked(), WITHOUT_SERVER)).toEqual({ step: 'end', outcome: 'no_mail_server' });
    const late = asked(LONGEST_WAIT_MS.sign_in + 1);
    expect(decideMail(late, WITH_SERVER)).toEqual({ step: 'end', outcome: 'expired' });
  });
});

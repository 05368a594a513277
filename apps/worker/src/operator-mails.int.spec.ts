import { createOperatorToken, hashToken } from '@farebox/auth';
import { putOperator, removeOperator, spendOperatorLink } from '@farebox/operators';
import { OPERATOR_URL, openSendMailHarness, type SendMailHarness } from '../test/send-mail-harness';

let harness: SendMailHarness;
beforeEach(async () => {
  harness = await openSendMailHarness();
  await putOperator(harness.db.pool, { email: ADA, role: 'owner' });
});
afterEach(() => harness.close());

const ADA = 'ada@example.com';
const LOCAL_URL = 'http://127.0.0.1:8083';
const BROWSER = { network: null, userAgent: null };

/** The token of the only link in a mail. */
function tokenIn(text: string | undefined): string {
  const start = `${OPERATOR_URL}/operator/links/`;
  const links = (text ?? '').split(/\s/).filter((word) => word.startsWith(start));
  expect(links).toHaveLength(1);
  return links[0]?.slice(start.length) ?? '';
}

const spend = (token: string) => spendOperatorLink(harness.db.pool, token, BROWSER);

it('an operator who asks for a link is mailed one, which signs them in once', async () => {
  const mailId = await harness.postOperatorLink(ADA);
  await harness.send(mailId);
  const [mail] = await harness.smtp.mailsTo(ADA);
  expect(mail).toMatchObject({ subject: 'Sign in to operate Farebox' });
  expect(mail?.text).toContain('as an operator of Farebox, as ada@example.com.');
  expect(mail?.text).toContain('It works once, for 15 minutes:');
  const token = tokenIn(mail?.text);
  expect(await spend(token)).toBeDefined();
  expect(await spend(token)).toBeUndefined();
  const { rows } = await harness.db.pool.query('SELECT outcome, address, account_id FROM mail');
  expect(rows).toEqual([{ outcome: 'sent', address: null, account_id: null }]);
  expect(harness.logged()).not.toContain(ADA);
});

it('its link works for fifteen minutes', async () => {
  await harness.send(await harness.postOperatorLink(ADA));
  await harness.db.pool.query(`UPDATE operator_link SET expires_at = expires_at - interval '15 minutes'`);
  expect(await spend(tokenIn((await harness.smtp.mailsTo(ADA))[0]?.text))).toBeUndefined();
});

it.each([
  ['nobody', 'nobody@example.com'],
  ['somebody who was an operator', 'grace@example.com'],
])('the address of %s gets no mail, and nothing about it is logged or kept', async (_, address) => {
  await putOperator(harness.db.pool, { email: 'grace@example.com', role: 'owner' });
  await removeOperator(harness.db.pool, 'grace@example.com');
  await harness.send(await harness.postOperatorLink(address));
  expect(harness.smtp.mails).toEqual([]);
  expect(harness.logged()).toBe('');
  const { rows } = await harness.db.pool.query('SELECT outcome, address FROM mail');
  expect(rows).toEqual([{ outcome: 'not_wanted', address: null }]);
});

it('a customer gets no link from the operator service', async () => {
  const { email } = await harness.givenPerson();
  await harness.send(await harness.postOperatorLink(email));
  expect(harness.smtp.mails).toEqual([]);
  expect((await harness.db.pool.query('SELECT account_id FROM mail')).rows).toEqual([{ account_id: null }]);
});

it('an operator gets no link from the service of customers', async () => {
  await harness.send(await harness.postSignIn(ADA));
  expect(harness.smtp.mails).toEqual([]);
});

it('a link that could not be mailed within fifteen minutes is not mailed at all', async () => {
  const mailId = await harness.postOperatorLink(ADA);
  await harness.db.pool.query(`UPDATE mail SET created_at = created_at - interval '16 minutes'`);
  await harness.send(mailId);
  expect(harness.smtp.mails).toEqual([]);
  expect(await harness.outcomeOf(mailId)).toBe('expired');
  expect((await harness.db.pool.query('SELECT FROM operator_link')).rowCount).toBe(0);
});

it('is sent once for ten concurrent deliveries', async () => {
  const mailId = await harness.postOperatorLink(ADA);
  await Promise.all(Array.from({ length: 10 }, () => harness.send(mailId)));
  expect(harness.smtp.mails).toHaveLength(1);
});

it('without a mail server, the link is shown in the log of development only', async () => {
  const none = { mailer: undefined };
  const first = await harness.postOperatorLink(ADA);
  await harness.send(first, none);
  expect(await harness.outcomeOf(first)).toBe('no_mail_server');
  const second = await harness.postOperatorLink(ADA);
  await harness.send(second, { ...none, showsLinks: true, operatorUrl: LOCAL_URL });
  expect(await harness.outcomeOf(second)).toBe('shown');
  expect(harness.records()).toMatchObject([
    { event: 'mail', outcome: 'no_mail_server' },
    { event: 'operator_link', sign_in_link: expect.stringMatching(LOCAL_URL) as string },
    { event: 'mail', outcome: 'shown' },
  ]);
});

it("the worker's login makes a link only for a mail that was asked for and has not ended", async () => {
  const make = async (mailId: string): Promise<boolean | undefined> => {
    const { rows } = await harness.db.workerPool.query<{ made: boolean }>(
      'SELECT mail_make_operator_link($1, $2, 900000) AS made',
      [mailId, hashToken(createOperatorToken('link'))],
    );
    return rows[0]?.made;
  };
  const mailId = await harness.postOperatorLink(ADA);
  expect(await make(mailId)).toBe(true);
  expect(await make('00000000-0000-7000-8000-000000000000')).toBe(false);
  expect(await make(await harness.postSignIn(ADA))).toBe(false);
  await harness.send(mailId);
  expect(await make(mailId)).toBe(false);
  await expect(
    harness.db.workerPool.query(
      `INSERT INTO mail (id, kind, address, for_operator) VALUES (uuidv7(), 'sign_in', $1, true)`,
      [ADA],
    ),
  ).rejects.toThrow('permission denied');
});

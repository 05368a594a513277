import { linkRequest } from '@farebox/api';
import { expectError, openAccountHarness } from '../test/account-harness';
import {
  aNetwork,
  comparable,
  openSignInHarness,
  type Person,
  type SignInHarness,
} from '../test/sign-in-harness';

let harness: SignInHarness;
beforeAll(async () => {
  harness = await openSignInHarness();
});
afterAll(() => harness.close());

/** The mails to a person, after all earlier requests have been processed. */
async function mailsTo(person: Person) {
  await harness.untilMailsEnded();
  return harness.smtp.mails.filter((mail) => mail.recipients.includes(person.email));
}

it('a stranger gets the same response as a customer, byte for byte and header for header', async () => {
  const known = await harness.ask((await harness.givenPerson()).email);
  expect(known.status).toBe(202);
  expect(linkRequest.parse(known.json)).toEqual({ object: 'link_request', expires_in: 900 });
  for (const inviteStatus of ['none', 'invited', 'suspended'] as const) {
    const { email } = await harness.givenPerson({ inviteStatus });
    expect(comparable(await harness.ask(email))).toEqual(comparable(known));
  }
  expect(comparable(await harness.ask('nobody@example.com'))).toEqual(comparable(known));
});

it('a mail to a person without a language is in that of the browser that asked for it', async () => {
  const person = await harness.givenPerson();
  const options = { body: { email: person.email }, headers: { 'accept-language': 'de-DE,en;q=0.5' } };
  expect((await harness.send('POST', '/auth/links', options)).status).toBe(202);
  expect((await mailsTo(person)).map(({ subject }) => subject)).toEqual(['Anmelden bei Farebox']);
});

it('until the response, a stranger causes the same rows as a customer, and no look-up of the address', async () => {
  const unattended = await openAccountHarness(); // without a worker, which would process them
  const { accountId } = await unattended.givenCustomer();
  for (const email of [`${accountId}@example.com`, 'nobody-else@example.com']) {
    await unattended.pool.query('DELETE FROM outbox; DELETE FROM mail; DELETE FROM sign_in_throttle');
    await unattended.send('POST', '/auth/links', { body: { email } });
    const { rows } = await unattended.pool.query(
      `SELECT m.kind, m.account_id, m.outcome, m.address, o.job, o.payload - 'mailId' AS more,
         (SELECT count(*)::int FROM sign_in_throttle) AS throttles, (SELECT count(*)::int FROM sign_in_link) AS links
       FROM mail m JOIN outbox o USING (id)`,
    );
    const wish = {
      kind: 'sign_in',
      account_id: null,
      outcome: null,
      address: email,
      job: 'send-mail',
      more: {},
    };
    expect(rows).toEqual([{ ...wish, throttles: 2, links: 0 }]);
  }
  await unattended.close();
});

it.each(['active', 'invited', 'suspended'] as const)(
  'an account that is %s gets a link',
  async (inviteStatus) => {
    const person = await harness.givenPerson({ inviteStatus });
    await harness.ask(person.email);
    expect(await mailsTo(person)).toHaveLength(1);
  },
);

it('an account without an invite gets no link, and a stranger no mail', async () => {
  const person = await harness.givenPerson({ inviteStatus: 'none' });
  await harness.ask(person.email);
  await harness.ask('stranger@example.com');
  expect(await mailsTo(person)).toEqual([]);
  expect(harness.smtp.mails.filter((mail) => mail.recipients.includes('stranger@example.com'))).toEqual([]);
});

describe('too many requests', () => {
  it('for one address get the same response, and send nothing', async () => {
    const person = await harness.givenPerson();
    const answers = [];
    for (let asks = 0; asks < 8; asks++) answers.push(await harness.ask(person.email));
    for (const answer of answers) expect(comparable(answer)).toEqual(comparable(answers[0] ?? answer));
    expect(await mailsTo(person)).toHaveLength(5);
  });

  it('from one network get the same response, and send nothing', async () => {
    const [network, person] = [aNetwork(), await harness.givenPerson()];
    const first = await harness.ask('a0@example.com', network);
    for (let asks = 1; asks < 50; asks++) await harness.ask(`a${String(asks)}@example.com`, network);
    expect(comparable(await harness.ask(person.email, network))).toEqual(comparable(first));
    expect(await mailsTo(person)).toEqual([]);
    // They do not count towards the address's limit either.
    for (let asks = 0; asks < 5; asks++) await harness.ask(person.email);
    expect(await mailsTo(person)).toHaveLength(5);
  });

  it('from one IPv6 network count together, whatever their last 64 bits', async () => {
    const person = await harness.givenPerson();
    for (let asks = 0; asks < 50; asks++) {
      await harness.ask(`b${String(asks)}@example.com`, `2001:db8:1:2::${asks.toString(16)}`);
    }
    await harness.ask(person.email, '2001:db8:1:2:ffff::1');
    expect(await mailsTo(person)).toEqual([]);
    await harness.ask(person.email, '2001:db8:1:3::1');
    expect(await mailsTo(person)).toHaveLength(1);
  });

  it('to sign in are refused before the link is checked', async () => {
    const network = aNetwork();
    const token = await harness.givenToken(await harness.givenPerson());
    const guess = () => harness.signIn(`lt-${'g'.repeat(43)}`, network);
    let answer = await guess();
    for (let tries = 0; answer.status === 401 && tries < 400; tries++) answer = await guess();
    expectError(answer, { status: 429, code: 'rate_limit_error' });
    expect(answer.headers['retry-after']).toBe('1');
    await harness.pool.query(`UPDATE sign_in_throttle SET recovered_at = recovered_at + interval '1 hour'`);
    expect((await harness.signIn(token, network)).status).toBe(429);
    expect((await harness.signIn(token)).status).toBe(201);
  });
});

it('a client cannot choose its network: only the last hop is trusted', async () => {
  const [network, person] = [aNetwork(), await harness.givenPerson()];
  for (let asks = 0; asks < 50; asks++) {
    await harness.ask(`c${String(asks)}@example.com`, `203.0.113.${String(asks)}, ${network}`);
  }
  await harness.ask(person.email, `198.51.100.1, ${network}`);
  expect(await mailsTo(person)).toEqual([]);
});

it.each<[string, unknown]>([
  ['no address', undefined],
  ['an empty one', ''],
  ['two', 'ada@example.com,eve@example.com'],
  ['a header', 'ada@example.com\r\nBcc: eve@example.com'],
  ['a list', ['ada@example.com']],
  ['a long one', `${'a'.repeat(255)}@example.com`],
])('%s is refused', async (_, email) => {
  expectError(await harness.ask(email), { status: 400, code: 'invalid_request_error', param: 'email' });
});

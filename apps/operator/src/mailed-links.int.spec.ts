import { putOperator } from '@farebox/operators';
import { openOperatorHarness, type OperatorHarness } from '../test/operator-harness';

const ADA = 'ada@example.com';

let harness: OperatorHarness;
beforeEach(async () => {
  harness = await openOperatorHarness();
  await putOperator(harness.db.pool, { email: ADA, role: 'owner' });
});
afterEach(() => harness.close());

/** Submits the form of the sign-in page. */
function ask(
  email: string,
  { url = harness.url, origin = url }: { url?: string; origin?: string } = {},
): Promise<Response> {
  return fetch(`${url}/operator/links`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams({ email }),
  });
}

async function mails(): Promise<unknown[]> {
  const { rows } = await harness.db.pool.query(
    'SELECT m.address, m.for_operator, m.account_id, o.job FROM mail m JOIN outbox o USING (id) ORDER BY m.id',
  );
  return rows as unknown[];
}

const mailTo = (address: string) => ({ address, for_operator: true, account_id: null, job: 'send-mail' });

it('the page for strangers asks for an address', async () => {
  const response = await fetch(`${harness.url}/operator`);
  expect(response.status).toBe(401);
  const page = await response.text();
  expect(page).toContain('<form method="post" action="/operator/links">');
  expect(page).toContain('<label for="email">E-mail address</label>');
});

it('an operator and a stranger get the same page, and who it is nobody has looked up', async () => {
  const answers = [await ask(ADA), await ask('mallory@example.com')];
  const [operator, stranger] = await Promise.all(
    answers.map(async (answer) => [answer.status, [...answer.headers.keys()], await answer.text()]),
  );
  expect(operator).toEqual(stranger);
  expect(operator?.[0]).toBe(200);
  expect(operator?.[2]).toContain("If this address is an operator's, a link is on its way to it.");
  expect(await mails()).toEqual([mailTo(ADA), mailTo('mallory@example.com')]);
});

it('an address is taken without regard to case, and what is no address is ignored', async () => {
  const right = await ask('Ada@Example.com');
  for (const text of ['', 'ada', 'ada@example.com, eve@example.com', `${'a'.repeat(300)}@example.com`]) {
    const wrong = await ask(text);
    expect(wrong.status).toBe(right.status);
  }
  expect(await mails()).toEqual([mailTo(ADA)]);
});

it('five links are mailed to an address in a row, whoever asks, and the page does not change', async () => {
  const pages = new Set<string>();
  for (let i = 0; i < 8; i++) pages.add(await (await ask(ADA)).text());
  expect(pages.size).toBe(1);
  expect(await mails()).toEqual(Array(5).fill(mailTo(ADA)));
});

it('twenty links are mailed for a network in a row', async () => {
  for (let i = 0; i < 25; i++) await ask(`person-${String(i)}@example.com`);
  expect(await mails()).toHaveLength(20);
});

it('a page of another origin asks for nothing', async () => {
  for (const origin of ['https://evil.example', 'null'])
    expect((await ask(ADA, { origin })).status).toBe(401);
  expect(await mails()).toEqual([]);
});

it('with an identity provider, no link is mailed', async () => {
  const own = await openOperatorHarness({
    environment: {
      FAREBOX_OIDC_ISSUER: 'http://127.0.0.1:9',
      FAREBOX_OIDC_CLIENT_ID: 'farebox',
      FAREBOX_OIDC_CLIENT_SECRET: 'a secret of the tests, long enough',
    },
  });
  const page = await (await fetch(`${own.url}/operator`)).text();
  expect(page).not.toContain('<form');
  expect(page).toContain('href="/operator/openid"');
  expect((await ask(ADA, { url: own.url })).status).toBe(404);
  await own.close();
});

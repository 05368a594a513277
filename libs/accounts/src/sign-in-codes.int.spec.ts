import { createTestDatabase, givenAccount, type TestDatabase } from '@farebox/testing';
import { openAccounts } from './open-accounts';
import { endAllAccountSessions, findSession } from './sessions';
import { createSignInLink, spendSignInCode, spendSignInLink, toBrowserSha256 } from './sign-in-links';

const BROWSER = 'the browser that asked';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

/** A link with a code, as the worker makes it. */
async function givenCode() {
  const accountId = await givenAccount(db.pool);
  const email = `${accountId}@example.com`;
  const made = await createSignInLink(accountId, db.workerPool, 'sign_in', toBrowserSha256(email, BROWSER));
  return { accountId, email, token: made.token, code: made.code ?? '' };
}

const visitor = (browserToken: string) => ({ caller: { network: null, userAgent: null }, browserToken });
const type = (email: string, code: string, browserToken = BROWSER) =>
  spendSignInCode(openAccounts(db.accountPool), { email, code }, visitor(browserToken));

/** A code that is not this one. */
const wrong = (code: string): string => (code.startsWith('A') ? 'B' : 'A') + code.slice(1);

it('signs in the browser that asked, once', async () => {
  const { accountId, email, code } = await givenCode();
  const signedIn = await type(email, code.toLowerCase());
  expect(signedIn).toMatchObject({ accountId, email });
  expect(await findSession(db.accountPool, signedIn?.sessionToken ?? '')).toMatchObject({ accountId });
  expect(await type(email, code)).toBeUndefined();
});

it('works for one of many concurrent attempts', async () => {
  const { email, code } = await givenCode();
  const tries = await Promise.all(Array.from({ length: 20 }, () => type(email, code)));
  expect(tries.filter((signedIn) => signedIn !== undefined)).toHaveLength(1);
});

it('works in no other browser, and for no other address of the same browser', async () => {
  const [ada, grace] = [await givenCode(), await givenCode()];
  expect(await type(ada.email, ada.code, 'another browser')).toBeUndefined();
  expect(await type(grace.email, ada.code)).toBeUndefined();
  expect(await type('nobody@example.com', ada.code)).toBeUndefined();
  expect(await type(ada.email, ada.code)).toBeDefined();
});

it('is of no use after five wrong attempts, however concurrent; the link still is', async () => {
  const { email, code, token } = await givenCode();
  const tries = await Promise.all(Array.from({ length: 8 }, () => type(email, wrong(code))));
  expect(tries).toEqual(Array(8).fill(undefined));
  const { rows } = await db.pool.query<{ attempts: number }>(
    'SELECT attempts FROM sign_in_code WHERE browser_sha256 = $1',
    [toBrowserSha256(email, BROWSER)],
  );
  expect(rows).toEqual([{ attempts: 5 }]);
  expect(await type(email, code)).toBeUndefined();
  expect(await spendSignInLink(openAccounts(db.accountPool), token, visitor(BROWSER))).toBeDefined();
});

it('works at the fifth attempt, and beside the code of a later mail', async () => {
  const { accountId, email, code } = await givenCode();
  await createSignInLink(accountId, db.workerPool, 'sign_in', toBrowserSha256(email, BROWSER));
  for (let i = 0; i < 4; i++) expect(await type(email, wrong(code))).toBeUndefined();
  expect(await type(email, code)).toBeDefined();
});

it('ends with its link: when that is used, has expired, or everything is signed out', async () => {
  const [used, expired, signedOut] = [await givenCode(), await givenCode(), await givenCode()];
  await spendSignInLink(openAccounts(db.accountPool), used.token, visitor('the phone'));
  await db.pool.query(
    "UPDATE sign_in_link SET created_at = created_at - interval '1 hour', expires_at = now() WHERE account_id = $1",
    [expired.accountId],
  );
  const operator = { kind: 'operator', name: 'ada' } as const;
  await endAllAccountSessions(signedOut.accountId, openAccounts(db.accountPool), operator);
  for (const { email, code } of [used, expired, signedOut]) expect(await type(email, code)).toBeUndefined();
});

it('no service reads codes, and none but the account service tries them', async () => {
  for (const pool of [db.servicePool, db.accountPool, db.workerPool])
    await expect(pool.query('SELECT code_sha256 FROM sign_in_code')).rejects.toThrow(/permission denied/);
  await expect(db.accountPool.query('UPDATE sign_in_code SET attempts = 0')).rejects.toThrow(
    /permission denied/,
  );
  for (const pool of [db.servicePool, db.workerPool])
    await expect(pool.query("SELECT sign_in_try_code('a', 'b')")).rejects.toThrow(/permission denied/);
});

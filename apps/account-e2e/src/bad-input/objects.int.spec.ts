import { OPERATIONS, type Operation } from '@farebox/api/operations';
import {
  expectError,
  openAccountHarness,
  type AccountHarness,
  type Customer,
} from '../../test/account-harness';
import { formsOf, hasQuery } from '../../test/isolation';

let harness: AccountHarness;
let ada: Customer;

beforeAll(async () => {
  harness = await openAccountHarness();
  ada = await harness.givenCustomer();
});
afterAll(() => harness.close());

/** Foreign, malformed, tampered and long ids and cursors: isolation.int.spec.ts. */
const WITH_SESSION = OPERATIONS.filter(({ credential }) => credential === 'session');
const named = (operations: Operation[]) =>
  operations.map((operation) => [operation.path, operation] as const);

async function expectRefused({ path, ...operation }: Operation, query: string, param: string): Promise<void> {
  for (const accept of formsOf({ path, ...operation })) {
    const answer = await ada.send('GET', `${path}?${query}`, { headers: { accept } });
    expectError(answer, { status: 400, code: 'invalid_request_error', param });
  }
}

describe.each(named(WITH_SESSION.filter((operation) => hasQuery(operation, 'limit'))))(
  'GET %s',
  (_, list) => {
    it.each([
      '0',
      '-1',
      '101',
      '1000000000',
      '[]',
      '',
      '1.5',
      '1e1',
      '0x10',
      '%31%00',
      '%E0%A5%A7',
      '9'.repeat(4_000),
    ])('refuses a limit of %s', (limit) => expectRefused(list, `limit=${limit}`, 'limit'));

    it('refuses a limit that is given twice, and one that is a list', async () => {
      await expectRefused(list, 'limit=1&limit=2', 'limit');
      await expectRefused(list, 'limit[]=1', 'limit[]');
    });

    it('refuses a cursor that is given twice, and an unknown parameter', async () => {
      await expectRefused(list, 'after=x&after=y', 'after');
      await expectRefused(list, 'afterr=x', 'afterr');
      await expectRefused(list, '__proto__=x', '__proto__');
      await expectRefused(list, 'account_id=x', 'account_id');
    });
  },
);

describe.each(named(WITH_SESSION.filter((operation) => hasQuery(operation, 'start'))))(
  'GET %s',
  (_, range) => {
    it.each([
      ['start=2026-11-02&end=2026-11-01', 'end'],
      ['start=2026-11-01&end=2026-11-01', 'end'],
      ['start=1767225601&end=1767225600', 'end'],
      ['start=[]', 'start'],
      ['end=%00', 'end'],
      ['start=1e400', 'start'],
      ['end=9007199254740993', 'end'],
      ['start=2026-02-30', 'start'],
      ['start=-1', 'start'],
    ])('refuses %s', (query, param) => expectRefused(range, query, param));
  },
);

it('a range of more than a year by the hour is refused, and one of a year is accepted', async () => {
  const ask = (end: string) => ada.send('GET', `/v1/usage/summary?bucket=hour&start=2025-01-01&end=${end}`);
  expectError(await ask('2026-02-01'), { status: 400, code: 'invalid_request_error', param: 'start' });
  expect((await ask('2026-01-01')).status).toBe(200);
});

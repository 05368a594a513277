import { OPERATIONS, type Operation } from '@farebox/api/operations';
import { sumClosedUsage } from '@farebox/ledger';
import { toPublicId, uuidV7 } from '@farebox/auth';
import { expectError } from '../../test/account-harness';
import { comparable } from '../../test/sign-in-harness';
import { openStripeHarness, type StripeHarness } from '../../test/stripe-harness';
import {
  askOperation,
  formsOf,
  givenOwner,
  givenSession,
  referencesOf,
  rowsOf,
  textOf,
  type ObjectKind,
  type Owner,
  type Reference,
} from '../../test/isolation';

/** Every operation that takes a session. documented-routes.int.spec.ts checks that there are no others. */
const OF_SESSIONS = OPERATIONS.filter(({ credential }) => credential === 'session');
const READINGS = OF_SESSIONS.filter(({ method }) => method === 'GET');

const REFERENCES = OF_SESSIONS.flatMap((operation) =>
  referencesOf(operation).map((reference): [string, string, Operation, Reference] => [
    operation.id,
    reference.name,
    operation,
    reference,
  ]),
);

/** Well-formed ids of nothing that exists. */
const MISSING: Record<ObjectKind, string> = {
  api_key: toPublicId('key', uuidV7()),
  device: toPublicId('dev', uuidV7()),
  session: toPublicId('sess', uuidV7()),
  event: toPublicId('evt', uuidV7()),
  invoice: 'INV-2026-999999',
  receipt: 'REC-2026-999999',
  credit_note: 'CRN-2026-999999',
  checkout: toPublicId('chk', uuidV7()),
  transaction: toPublicId('txn', uuidV7()),
  funding: toPublicId('fund', uuidV7()),
  usage_record: toPublicId('chatcmpl', uuidV7()),
  used_model: 'model-of-nobody',
  webhook: toPublicId('hook', uuidV7()),
  delivery: toPublicId('whmsg', uuidV7()),
};

let harness: StripeHarness;
let ada: Owner;
let eve: Owner;
/** Everything that Ada could read when she was alone. */
let alone: string[];

beforeAll(async () => {
  harness = await openStripeHarness();
  ada = await givenOwner(harness, 'ada-7f3b', 1);
  alone = await readAll();
  eve = await givenOwner(harness, 'eve-9c1d', 2);
  await sumClosedUsage(harness.pool);
});
afterAll(() => harness.close());

/** Everything that Ada can read of her own, in every format. */
async function readAll(): Promise<string[]> {
  const texts: string[] = [];
  for (const operation of READINGS) {
    for (const accept of formsOf(operation)) {
      const answer = await askOperation(ada.customer.send, { operation, ids: ada.ids, accept });
      expect([operation.id, answer.status]).toEqual([operation.id, 200]);
      texts.push(`${operation.id} ${accept} ${textOf(answer).replaceAll(CHANGES_WITH_TIME, '')}`);
    }
  }
  return texts;
}
const CHANGES_WITH_TIME = /"date":"[^"]*"|"(last_seen|idle_expires)_at":\d+/g;

const ask = (operation: Operation, { place, name, kind }: Reference, id: string, accept: string) =>
  place === 'path'
    ? askOperation(ada.customer.send, { operation, accept, ids: { ...ada.ids, [kind]: id } })
    : askOperation(ada.customer.send, { operation, accept, ids: ada.ids, query: `${name}=${id}` });

it('every kind of object exists, and a new parameter must declare what it names', () => {
  expect(new Set(REFERENCES.map(([, , , { kind }]) => kind))).toEqual(new Set(Object.keys(MISSING)));
  const [list] = OF_SESSIONS.filter(({ id }) => id === 'listDevices');
  if (!list) throw new Error('the document has no list of devices');
  expect(() => referencesOf({ ...list, id: 'listOtherThings' })).toThrow("'after' of listOtherThings");
});

describe.each(REFERENCES)('%s by %s', (_, param, operation, reference) => {
  it("returns the same, to the byte, for another account's object as for a missing one", async () => {
    const before = await rowsOf(harness, eve.customer.accountId);
    for (const accept of formsOf(operation)) {
      const foreign = await ask(operation, reference, eve.ids[reference.kind], accept);
      const missing = await ask(operation, reference, MISSING[reference.kind], accept);
      expect(comparable(foreign)).toEqual(comparable(missing));
      expect(foreign.status).toBe(reference.place === 'path' ? 404 : 400);
      expect(foreign.json).toMatchObject({ error: { param } });
    }
    expect(await rowsOf(harness, eve.customer.accountId)).toEqual(before);
  });

  it.each([
    ['of another kind', toPublicId('rev', uuidV7())],
    ['only a prefix', 'key_'],
    ['NUL', '%00'],
    ['not ASCII', '%F0%9F%94%91'],
    ['an SQL quote', "'%20OR%201=1--"],
    ['a path', '..%2F..%2Fetc'],
    ['in brackets', '[]'],
    ['very long', 'k'.repeat(8_000)],
  ])('treats a malformed id like a missing one: %s', async (_name, id) => {
    const answer = await ask(operation, reference, id, 'application/json');
    if (reference.place === 'query') {
      expectError(answer, { status: 400, code: 'invalid_request_error', param });
    } else {
      const missing = await ask(operation, reference, MISSING[reference.kind], 'application/json');
      expect(comparable(answer)).toEqual(comparable(missing));
    }
  });
});

describe('no data of another account', () => {
  it('is counted, summed or listed in what an account reads', async () => {
    expect(await readAll()).toEqual(alone);
  });

  it.each(OF_SESSIONS.map((operation) => [operation.id, operation] as const))(
    'is in a response of %s, in any format',
    async (_, operation) => {
      const { token } = await givenSession(harness, ada.customer.accountId, 'x');
      for (const accept of formsOf(operation)) {
        const answer = await askOperation(harness.send, {
          operation,
          ids: ada.ids,
          accept,
          sessionToken: token,
        });
        expect(answer.status).toBeLessThan(500);
        const text = textOf(answer);
        expect(eve.canaries.filter((canary) => text.includes(canary))).toEqual([]);
      }
    },
  );

  it("would be overlooked: Ada's own data is found in what she reads", () => {
    for (const canary of [ada.ids.used_model, ada.ids.invoice, 'key-of-ada-7f3b', 'ada-7f3b@example.org'])
      expect(alone.some((text) => text.includes(canary))).toBe(true);
    expect(alone.filter((text) => /^getInvoice \S+ .*ada-7f3b@example\.org/s.test(text))).toHaveLength(3);
  });
});

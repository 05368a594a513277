import { expectError, openAccountHarness, type AccountHarness, type Customer } from '../test/account-harness';

const DETAILS = '/v1/billing/details';

let harness: AccountHarness;
let ada: Customer;
beforeAll(async () => {
  harness = await openAccountHarness();
});
beforeEach(async () => {
  ada = await harness.givenCustomer();
});
afterAll(() => harness.close());

const change = (body: object) => ada.send('PATCH', DETAILS, { body });
const NONE = {
  object: 'billing_details',
  ...{ legal_name: null, address: null, country: null, tax_id: null },
  ...{ purchase_order: null, billing_email: null },
};

it('are empty at first, and keep what is not given', async () => {
  expect((await ada.send('GET', DETAILS)).json).toEqual(NONE);
  await change({ legal_name: ' Engines Ltd ', address: '12 Engine Street\r\n\r\n London ', country: 'GB' });
  await change({ tax_id: 'GB123', billing_email: 'Books@Example.com', country: null });
  const expected = {
    ...NONE,
    legal_name: 'Engines Ltd',
    address: '12 Engine Street\nLondon',
    tax_id: 'GB123',
    billing_email: 'books@example.com',
  };
  expect((await ada.send('GET', DETAILS)).json).toEqual(expected);
  const eve = await harness.givenCustomer();
  expect((await eve.send('GET', DETAILS)).json).toEqual(NONE);
});

it('take names and addresses of any script', async () => {
  const answer = await change({ legal_name: '株式会社ソラ', address: 'شارع التحرير ١\nالقاهرة' });
  expect(answer.json).toMatchObject({ legal_name: '株式会社ソラ', address: 'شارع التحرير ١\nالقاهرة' });
});

it.each([
  ['legal_name', 'x'.repeat(201)],
  ['legal_name', ''],
  ['address', '\n'],
  ['address', Array.from({ length: 9 }, () => 'line').join('\n')],
  ['address', 'Weg\u202E 1'],
  ['country', 'Germany'],
  ['country', 'XX'],
  ['country', 'de'],
  ['tax_id', 'DE\u0007'],
  ['billing_email', 'nobody'],
  ['purchase_order', 4711],
])('refuse %s %j, which changes nothing', async (param, value) => {
  expectError(await change({ [param]: value }), { status: 400, code: 'invalid_request_error', param });
  expect((await ada.send('GET', DETAILS)).json).toEqual(NONE);
});

it('record a change once among the events of the account, and refuse an empty one', async () => {
  await change({ tax_id: 'DE1' });
  await change({ tax_id: 'DE1' });
  const { json } = await ada.send('GET', '/v1/account/events');
  const events = (json as { data: { credential: string; action: string }[] }).data;
  expect(
    events.filter(({ credential, action }) => `${credential} ${action}` === 'account change'),
  ).toHaveLength(1);
  expect((await change({})).status).toBe(400);
});

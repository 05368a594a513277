// Values that several examples share.

export const ACCOUNT_ID = 'acct_01kag0rx4dfh8p2pt9vn4yzrqk';
export const KEY_ID = 'key_01kag0s1wefxh8p2pt9vn4yzrq';
export const DEVICE_ID = 'dev_01kag0s2x5e8fsy4y5d6k1m3ah';
export const CHARGE_ID = 'txn_01kag0s3hze6p9tz3cm7qj5wxe';
export const TOP_UP_ID = 'txn_01kag0rzc2f4ct1k8x6n0v9bdm';
export const FUNDING_ID = 'fund_01kag0rzc2f4ct1k8x6n0v9bdm';
export const EVENT_ID = 'evt_01kag0s0ard3h8p2pt9vn4yzrq';
export const SESSION_ID = 'sess_01kag0s0ard3h8p2pt9vn4yzrq';
export const CHECKOUT_ID = 'chk_01kag0rzc2f4ct1k8x6n0v9bdm';
export const RECEIPT_NUMBER = 'REC-2026-000042';
export const INVOICE_NUMBER = 'INV-2026-000042';
export const COMPLETION_ID = 'chatcmpl-01kag0s3hze6p9tz3cm7qj5wxe';
/** The same request's id in both. */
export const REQUEST_ID = 'req_01kag0s3hze6p9tz3cm7qj5wxe';

/** The details of who is billed, and of who bills. */
export const BUYER = {
  legal_name: 'Analytical Engines Ltd',
  address: '12 Engine Street\nLondon W1A 1AA',
  country: 'GB',
  tax_id: 'GB123456789',
  purchase_order: 'PO-4711',
  billing_email: 'books@example.com',
} as const;
export const SELLER = {
  legal_name: 'Acme AI GmbH',
  address: 'Beispielweg 1\n10115 Berlin',
  country: 'DE',
  tax_id: 'DE123456789',
  billing_email: 'billing@example.org',
} as const;

/** The prices and limits of the example model. */
export const MODEL_TERMS = {
  kind: 'chat',
  pricing: { input: '0.150000000', output: '0.600000000', currency: 'usd', unit: '1M tokens' },
  context_window: 128_000,
  max_output_tokens: 16_384,
  input_modalities: ['text', 'image'],
} as const;

/** In the format of a secret, with a wrong checksum: it opens nothing. */
export const API_KEY_SECRET = 'ak-0000000000000000000000000000000000000X';
export const LINK_TOKEN = `lt-${'0'.repeat(43)}`;
export const SESSION_TOKEN = `st-${'0'.repeat(43)}`;

/** 2026-11-21 at noon, in UTC. */
export const NOON = 1_795_262_400;
export const HOUR = 3_600;
export const DAY = 86_400;

/** The only page of a list. */
export function onlyPage<Row extends object>(data: readonly Row[], idOf: (row: Row) => string): object {
  const [first] = data;
  const last = data.at(-1);
  return {
    object: 'list',
    data,
    first_id: first ? idOf(first) : null,
    last_id: last ? idOf(last) : null,
    has_more: false,
  };
}

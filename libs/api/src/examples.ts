// Values that several examples share.

export const ACCOUNT_ID = 'acct_01kag0rx4dfh8p2pt9vn4yzrqk';
export const KEY_ID = 'key_01kag0s1wefxh8p2pt9vn4yzrq';
export const DEVICE_ID = 'dev_01kag0s2x5e8fsy4y5d6k1m3ah';
export const CHARGE_ID = 'txn_01kag0s3hze6p9tz3cm7qj5wxe';
export const TOP_UP_ID = 'txn_01kag0rzc2f4ct1k8x6n0v9bdm';
export const FUNDING_ID = 'fund_01kag0rzc2f4ct1k8x6n0v9bdm';
export const EVENT_ID = 'evt_01kag0s0ard3h8p2pt9vn4yzrq';
export const SESSION_ID = 'sess_01kag0s0ard3h8p2pt9vn4yzrq';
export const WEBHOOK_ID = 'hook_01kag0s4d6f8h0k2n4q6s8v0x2';
export const WEBHOOK_MESSAGE_ID = 'whmsg_01kag0s5e7g9j1m3p5r7t9w1y3';
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
export const WEBHOOK_SECRET = `whsec_${'0'.repeat(43)}=`;
export const LINK_TOKEN = `lt-${'0'.repeat(43)}`;
export const SESSION_TOKEN = `st-${'0'.repeat(43)}`;

/** 2026-11-21 at noon, in UTC. */
export const NOON = 1_795_262_400;
export const HOUR = 3_600;
export const DAY = 86_400;

/** A proof of the example's charge, with hashes and a signature that are right. */
export const LEDGER_PROOF = {
  object: 'ledger_proof',
  transaction_id: CHARGE_ID,
  entry:
    'farebox-entry-1 019aa00c-8e3f-71ac-9d7c-6ca1ef22f3ae 019aa00c-748d-7c51-615b-49dd49efe2f3 ' +
    '2 charge customer revenue 10500 24999989500 - 2026-11-21T12:01:00.184301Z',
  path: [
    { side: 'left', hash: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb' },
    { side: 'right', hash: '3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d' },
  ],
  root: {
    object: 'ledger_root',
    day: '2026-11-21',
    root: '87a108bba8d194aba3afa9e524efecac0dc52b845a3e52b0b491f2cb757f043c',
    previous: '50a3085ee28d0b360988306d8edaf79d5802358d5b2aa3faa5adbc367a6640a8',
    public_key: 'ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c',
    signature:
      'dd8784677db555fa952e45c4291353eee9dd07fe081d0ecdf20a7efb16e5ab0a' +
      '41a23dae14622861a876ffcdb0e1f16acb6126610948718c763dcf0a0e512500',
    closed_at: NOON + 45_000,
  },
} as const;

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

import { changed, changedRecords, exampleOf, instead, refused, streamed, unreachable } from './answers';
import { opens, press, type Act, type Shot } from './shot';

const ANSWER = `The fare depends on **three things**:

1. the *zones* that you cross,
2. the time of day,
3. whether you hold a card.

| zones | single | return |
| ----- | -----: | -----: |
| 1 | $2.80 | $5.20 |
| 2 | $3.60 | $6.80 |

\`\`\`ts
/** In cents. */
const fareOf = (zones: number, isReturn: boolean): number => (200 + 80 * zones) * (isReturn ? 1.86 : 1);
\`\`\`

> A day ticket pays from the third ride on. See [the table](https://example.com/fares).`;
const THOUGHT =
  'The question is about a fare. I should name what it depends on, and give an example in code.';

const ID = 'chatcmpl-01kag0s3hze6p9tz3cm7qj5wxe';
const REQUEST = '/v1/requests/{request_id}';
const says = (delta: object, finish: string | null = null) => ({
  ...{ id: ID, choices: [{ delta, finish_reason: finish }] },
});
const USAGE = { prompt_tokens: 24, completion_tokens: 312, total_tokens: 336, cost: '0.000190800' };

const converses =
  (end: 'Copy the answer' | 'Your balance does not cover it'): Act =>
  async (page, t) => {
    await page.getByRole('textbox', { name: t('Message'), exact: true }).fill('What does a ride cost?');
    await press(page, t('Send'));
    await (
      end === 'Copy the answer' ? page.getByRole('button', { name: t(end) }).first() : page.getByText(t(end))
    ).waitFor();
    // Loaded by need, after the text.
    if (end === 'Copy the answer') await page.locator('.markdown').waitFor();
  };

const LONG = 'Fulfilment-service-of-the-northern-warehouses-staging-environment-blue';
const fillKey: Act = async (page, t) => {
  await opens('Create key')(page, t);
  await page.getByRole('textbox', { name: t('Name') }).fill('checkout');
};
const asksForLink: Act = async (page, t) => {
  await page.getByRole('textbox', { name: t('E-mail') }).fill('ada@example.com');
  await press(page, t('Send me a link'));
  await page.getByRole('heading', { name: t('Check your mail') }).waitFor();
};

const NO_MONEY = changed((body) => ({ ...body, available: '0.000000000', total: '0.000000000' }));
const CARDS = {
  'GET /v1/billing/funding': instead(exampleOf('get', '/v1/billing/funding', 200, 'with_cards')),
};
const topUp = (changes: object) =>
  instead({ ...(exampleOf('get', '/v1/billing/automatic-top-up', 200, 'on') as object), ...changes });
const DOWN = refused(503, 'service_unavailable', 'The service is not available now. Try again in a moment.');

/** States that the demo account is not in: what the service would return is taken from its documentation. */
export function STATES({ key, request }: { key: string; request?: string }): Shot[] {
  const receiptOf = (state: string, changes: object = {}) => ({
    [`GET ${REQUEST.replace('{request_id}', ID)}`]: instead({
      ...(exampleOf('get', REQUEST, 200, state) as object),
      ...changes,
    }),
  });
  const ofRequest = (name: string, answers: Shot['answers']): Shot => ({
    ...{ name: `request-${name}`, path: `/activity/${ID}`, ...(answers && { answers }) },
  });
  return [
    { name: 'no-money', path: '/activity', answers: { 'GET /v1/billing/balance': NO_MONEY } },
    {
      ...{ name: 'secret', path: '/keys', answers: CREATED },
      act: async (page, t) => {
        await fillKey(page, t);
        await page
          .getByRole('dialog')
          .getByRole('button', { name: t('Create key') })
          .click();
        await page.getByText(t('Copy it now')).waitFor();
      },
    },
    {
      ...{ name: 'create-key-faults', path: '/keys' },
      act: async (page, t) => {
        await fillKey(page, t);
        await page.getByRole('textbox', { name: t('Monthly spending limit') }).fill('-3');
        await page.getByRole('textbox', { name: t('Allowed origins') }).fill('app.example.com');
        await page
          .getByRole('dialog')
          .getByRole('button', { name: t('Create key') })
          .click();
        await page.getByText(t('Write an amount above zero in dollars, like 5 or 2.50.')).waitFor();
      },
    },
    {
      ...{ name: 'long-names', path: '/keys' },
      answers: { 'GET /v1/api-keys': changedRecords((record) => ({ ...record, name: LONG })) },
    },
    { name: 'many-models', path: '/models', answers: { 'GET /v1/account/models': changed(withManyModels) } },
    {
      ...{ name: 'many-limits', path: '/limits', answers: { 'GET /v1/account/limits': instead(LIMITS) } },
    },
    ofRequest('running', receiptOf('running')),
    ofRequest('refused', receiptOf('refused')),
    ofRequest('in-review', receiptOf('in_review')),
    ofRequest('interrupted', receiptOf('charged', { outcome: 'upstream_failed' })),
    ...(request === undefined ? [] : [{ name: 'failing', path: '/usage', answers: FAILING }]),
    {
      ...{
        name: 'unreachable',
        path: key,
        answers: { [`GET /v1${key.replace('keys', 'api-keys')}`]: unreachable },
      },
    },
    ...(
      [
        ['card', topUp({})],
        [
          'card-declined',
          topUp({
            ...{ enabled: false, off_reason: 'failures', off_at: 1_795_262_400 },
            last_attempt: {
              status: 'failed',
              amount: '25.000000000',
              failure: 'card_declined',
              created_at: 1_795_262_400,
            },
          }),
        ],
      ] as const
    ).map(([name, answer]) => ({
      ...{ name, path: '/billing', answers: { ...CARDS, 'GET /v1/billing/automatic-top-up': answer } },
    })),
    {
      ...{ name: 'add-funds-card', path: '/billing', act: opens('Add funds') },
      answers: { ...CARDS, 'GET /v1/billing/automatic-top-up': topUp({}) },
    },
    {
      ...{
        name: 'paid',
        path: `/billing?checkout=paid&payment=chk_01kag0rzc2f4ct1k8x6n0v9bdm`,
        answers: PAID,
      },
    },
    { name: 'documents', path: '/billing?tab=invoices', answers: DOCUMENTS },
    ...(
      [
        [
          'conversation',
          [
            says({ reasoning_content: THOUGHT }),
            says({ content: ANSWER }, 'stop'),
            { id: ID, choices: [], usage: USAGE },
          ],
        ],
        [
          'cut',
          [says({ content: `${ANSWER.slice(0, 90)}…` }, 'length'), { id: ID, choices: [], usage: USAGE }],
        ],
      ] as const
    ).map(([name, pieces]) => ({
      ...{ name, path: '/playground', answers: { 'POST /v1/chat/completions': streamed(pieces) } },
      act: converses('Copy the answer'),
    })),
    {
      ...{ name: 'conversation-broken', path: '/playground' },
      answers: {
        'POST /v1/chat/completions': streamed([says({ content: ANSWER.slice(0, 90) })], ''),
        ...receiptOf('charged'),
      },
      act: converses('Copy the answer'),
    },
    {
      ...{ name: 'conversation-refused', path: '/playground' },
      answers: {
        'POST /v1/chat/completions': refused(
          ...([
            402,
            'insufficient_funds',
            'The request can cost up to $0.24, and $0.10 is available.',
          ] as const),
        ),
      },
      act: converses('Your balance does not cover it'),
    },
    {
      ...{ name: 'check-mail', path: '/sign-in', visitor: 'nobody' },
      answers: { 'POST /auth/links': instead({ object: 'sign_in_link', expires_in: 900 }, 202) },
      act: asksForLink,
    },
  ];
}

const CREATED = {
  'POST /v1/api-keys': instead(exampleOf('post', '/v1/api-keys', 201, 'created'), 201),
};
const FAILING = { 'GET /v1/usage/by-model': DOWN, 'GET /v1/usage/by-api-key': DOWN };
const PAID = {
  ...CARDS,
  'GET /v1/billing/automatic-top-up': topUp({}),
  'GET /v1/billing/funding/checkouts/chk_01kag0rzc2f4ct1k8x6n0v9bdm': instead(
    exampleOf('get', '/v1/billing/funding/checkouts/{checkout_id}', 200, 'paid'),
  ),
};
const DOCUMENTS = {
  'GET /v1/billing/receipts': instead(exampleOf('get', '/v1/billing/receipts', 200, 'one')),
  'GET /v1/billing/credit-notes': instead(exampleOf('get', '/v1/billing/credit-notes', 200, 'one')),
};

const OF_ACCOUNT = { object: 'account_limit', key_public_id: null, key_name: null, model: null };
const LIMITS = {
  object: 'list',
  data: [
    ...(exampleOf('get', '/v1/account/limits', 200, 'two') as { data: object[] }).data,
    {
      ...OF_ACCOUNT,
      ...{ measure: 'concurrency', per: null, limit: 8, used: 8, left: 0, resets_at: null },
    },
    {
      ...OF_ACCOUNT,
      ...{ key_public_id: 'key_01kag0s1wefxh8p2pt9vn4yzrq', key_name: LONG, model: 'farebox-small' },
      ...{
        measure: 'requests',
        per: 'five_hours',
        limit: 12_000,
        used: 9_412,
        left: 2_588,
        resets_at: 1_795_280_400,
      },
    },
  ],
};

/** As many as a service of several vendors has, of which some have prices of their own. */
function withManyModels({ data, ...body }: Record<string, unknown>): object {
  const [first, ...others] = data as (Record<string, object> & { id: string })[];
  const steps = [{ above_prompt_tokens: 200_000, input: '6.000000000', output: '22.500000000' }];
  const vendors = [
    'maker/fast-4',
    'maker/vision-large-2026-preview',
    'other/reasoner-70b-instruct-awq-marlin',
  ];
  const added = Array.from({ length: 9 }, (_, index) => ({
    ...first,
    id: `${vendors[index % vendors.length] ?? ''}-${index.toString()}`,
    input_modalities: ['text', 'image', 'file'].slice(0, 1 + (index % 3)),
    pricing: {
      ...first?.['pricing'],
      ...(index % 2 === 0 ? { cached_input: '0.300000000', cache_write: '3.750000000', steps } : {}),
    },
  }));
  return { ...body, data: [first, ...others, ...added] };
}

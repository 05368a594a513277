import { createWebhookBody, updateWebhookBody } from './schema';

const URL_OF = { url: 'https://hooks.example.com/in' };

it.each([
  ['https://hooks.example.com/in?x=1', 'https://hooks.example.com/in?x=1'],
  ['HTTPS://Hooks.Example.com:443', 'https://hooks.example.com/'],
  // Whether it is taken depends on the service.
  ['http://localhost:3000/', 'http://localhost:3000/'],
])('takes the URL %s as %s', (given, expected) => {
  expect(createWebhookBody.parse({ url: given })).toEqual({ url: expected });
});

it.each([
  ...['', 'hooks.example.com', 'ftp://hooks.example.com/', 'https://', 7, null],
  ...['https://ada:secret@hooks.example.com/', 'https://hooks.example.com/#part'],
  `https://hooks.example.com/${'x'.repeat(2_000)}`,
])('refuses the URL %j', (url) => {
  expect(createWebhookBody.safeParse({ url }).success).toBe(false);
});

it.each([[[]], [['no.such.event']], [['webhook.test']], ['api_key.created']])(
  'refuses the types %j',
  (event_types) => {
    expect(createWebhookBody.safeParse({ ...URL_OF, event_types }).success).toBe(false);
  },
);

it('takes a list of types, or null for all', () => {
  for (const event_types of [['api_key.created', 'invoice.issued'], null])
    expect(createWebhookBody.parse({ ...URL_OF, event_types })).toMatchObject({ event_types });
});

it('a change changes something', () => {
  expect(updateWebhookBody.safeParse({}).success).toBe(false);
  expect(updateWebhookBody.parse({ enabled: false })).toEqual({ enabled: false });
});

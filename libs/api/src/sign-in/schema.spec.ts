import { emailAddress } from './schema';

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['  Ada.Lovelace+box@Mail.Example.COM ', 'ada.lovelace+box@mail.example.com'],
  ["o'hara@example.co.uk", "o'hara@example.co.uk"],
  ['demo@farebox.local', 'demo@farebox.local'],
  ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
])('%j', (text, address) => {
  expect(emailAddress.parse(text)).toBe(address);
});

it.each<unknown>([
  undefined,
  null,
  7,
  ['ada@example.com'],
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@localhost',
  'ada@example..com',
  'ada@@example.com',
  'ada@-example.com',
  'a b@example.com',
  'ada@example.com,eve@example.com',
  'ada@example.com;eve@example.com',
  'Ada <ada@example.com>',
  '<ada@example.com>',
  '"ada"@example.com',
  'ada@[127.0.0.1]',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada\u0000@example.com',
  'ad\u0430@example.com',
  'ada@ex\u200bample.com',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a.'.repeat(125)}com`,
  `${' '.repeat(600)}ada@example.com`,
])('no address is %j', (value) => {
  const result = emailAddress.safeParse(value);
  expect(result.success).toBe(false);
  expect(result.error?.issues[0]?.message).toBe('must be an e-mail address');
});

it('a huge text is refused at once', () => {
  expect(emailAddress.safeParse('a.'.repeat(1_000_000)).success).toBe(false);
});

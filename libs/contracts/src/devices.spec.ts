import { listDevicesQuery, registerDeviceBody, renameDeviceBody } from './sign-in';

const wrongIn = (schema: typeof registerDeviceBody | typeof renameDeviceBody, value: unknown): unknown[] => [
  ...new Set(schema.safeParse(value).error?.issues.map((issue) => issue.path[0])),
];
const UNFIT = [null, 7, '', '  ', 'a\u0000b', 'line\nbreak', '\u001b[31m', 'half \ud83d', ['x']];
const UNSEEN = [
  ...['pay\u200bpal', 'pay\u200cpal', 'pay\u200dpal', 'lap\u00adtop', 'lap\u2060top', 'lap\ufefftop'],
  ...['a\u202eb', 'a\u2066b\u2069', 'a\u200fb', 'a\u2028b', 'a\u034fb', 'a\u180eb'],
  ...['\u3164', '\uffa0', '\u115f', '\u2800', 'a\ufe0f', 'a\u{e0041}\u{e0042}', 'a\u{e0100}'],
  // Of an emoji: a flag's tags without the flag, joiners without anybody to join.
  ...['\u{e0067}\u{e0062}\u{e007f}', '\u{1f468}\u200d', '\u200d\u{1f469}', '\u{1f468}\u200d\u200d\u{1f469}'],
];
const SEEN = [
  ...['laptop', 'Zoë’s MacBook', '作業用', 'مفتاح', 'कुंजी', 'e\u0301tude', '❤️', '1️⃣ key', '🇩🇪'],
  ...['👩‍💻', '👨‍👩‍👧‍👦 home', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👍🏽'],
];

describe('registerDeviceBody', () => {
  it('reads a name and a platform of their full lengths, without the white space around them', () => {
    const [name, platform] = ['n'.repeat(100), 'p'.repeat(64)];
    expect(registerDeviceBody.parse({ name: ` ${name}\t`, platform: ` ${platform} ` })).toEqual({
      name,
      platform,
    });
  });

  it.each(SEEN)('reads the name %s', (name) => {
    expect(renameDeviceBody.parse({ name })).toEqual({ name });
  });

  it.each([...UNFIT, ...UNSEEN, 'x'.repeat(101)])('refuses the name %j', (name) => {
    expect(wrongIn(registerDeviceBody, { name, platform: 'linux' })).toEqual(['name']);
    expect(wrongIn(renameDeviceBody, { name })).toEqual(['name']);
  });

  it.each([...UNFIT, 'x'.repeat(65)])('refuses the platform %j', (platform) => {
    expect(wrongIn(registerDeviceBody, { name: 'laptop', platform })).toEqual(['platform']);
  });

  it('needs both', () => {
    expect(wrongIn(registerDeviceBody, {})).toEqual(['name', 'platform']);
    expect(wrongIn(renameDeviceBody, {})).toEqual(['name']);
  });
});

it('a list of devices takes the id of a device as cursor, and of nothing else', () => {
  expect(listDevicesQuery.safeParse({ after: 'dev_01jd0000000000000000000000' }).success).toBe(true);
  expect(listDevicesQuery.safeParse({ after: 'key_01jd0000000000000000000000' }).success).toBe(false);
});

import { listDevicesQuery, registerDeviceBody, renameDeviceBody } from './schema';

const wrongIn = (schema: typeof registerDeviceBody | typeof renameDeviceBody, value: unknown): unknown[] => [
  ...new Set(schema.safeParse(value).error?.issues.map((issue) => issue.path[0])),
];
const UNFIT = [null, 7, '', '  ', 'a\u0000b', 'line\nbreak', '\u001b[31m', 'half \ud83d', ['x']];
const UNSEEN = 'lap\u200btop';
const SEEN = ['laptop', 'می\u200cخواهم', '👩‍💻'];

describe('registerDeviceBody', () => {
  it('accepts a name and a platform of their full lengths, without surrounding white space', () => {
    const [name, platform] = ['n'.repeat(100), 'p'.repeat(64)];
    expect(registerDeviceBody.parse({ name: ` ${name}\t`, platform: ` ${platform} ` })).toEqual({
      name,
      platform,
    });
  });

  it.each(SEEN)('reads the name %s', (name) => {
    expect(renameDeviceBody.parse({ name })).toEqual({ name });
  });

  it.each([...UNFIT, UNSEEN, 'x'.repeat(101)])('refuses the name %j', (name) => {
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

it('a list of devices takes only the id of a device as cursor', () => {
  expect(listDevicesQuery.safeParse({ after: 'dev_01jd0000000000000000000000' }).success).toBe(true);
  expect(listDevicesQuery.safeParse({ after: 'key_01jd0000000000000000000000' }).success).toBe(false);
});

import { textColorOn, toBrand, toOwnedBy } from './brand';
import { ConfigError, loadConfig } from './settings';

const needed = { DATABASE_URL: 'postgres://a@b/c', FAREBOX_KEY_PEPPERS: `1:${'5a'.repeat(32)}` };
const brandOf = (given: Record<string, string>) =>
  toBrand(loadConfig('account', { ...needed, ...given }).values);

it('is Farebox by default, without a logo, a colour or a support address', () => {
  expect(brandOf({})).toEqual({
    name: 'Farebox',
    logoUrl: undefined,
    color: undefined,
    supportEmail: undefined,
  });
});

it('is set by the operator, with the same result in account service and worker', () => {
  const given = {
    FAREBOX_OPERATOR_NAME: ' Acme & Söhne ',
    FAREBOX_OPERATOR_LOGO_URL: 'https://img.acme.example/logo.svg?v=2',
    FAREBOX_OPERATOR_COLOR: '#E8590C',
    FAREBOX_SUPPORT_EMAIL: 'help@acme.example',
  };
  const brand = {
    name: 'Acme & Söhne',
    logoUrl: 'https://img.acme.example/logo.svg?v=2',
    color: '#e8590c',
    supportEmail: 'help@acme.example',
  };
  expect(brandOf(given)).toEqual(brand);
  expect(toBrand(loadConfig('worker', { ...needed, ...given }).values)).toEqual(brand);
});

it.each([
  ['FAREBOX_OPERATOR_NAME', 'Acme\r\nBcc: eve@example.com'],
  ['FAREBOX_OPERATOR_NAME', 'x'.repeat(61)],
  ['FAREBOX_OPERATOR_NAME', '   '],
  ['FAREBOX_OPERATOR_LOGO_URL', 'http://img.acme.example/logo.svg'],
  ['FAREBOX_OPERATOR_LOGO_URL', 'javascript:alert(1)'],
  ['FAREBOX_OPERATOR_LOGO_URL', "https://img.acme.example;script-src'unsafe-inline'/x"],
  ['FAREBOX_OPERATOR_LOGO_URL', 'logo.svg'],
  ['FAREBOX_OPERATOR_COLOR', 'red'],
  ['FAREBOX_OPERATOR_COLOR', '#fff'],
  ['FAREBOX_OPERATOR_COLOR', '#000000;} *{'],
  ['FAREBOX_SUPPORT_EMAIL', 'help'],
  ['FAREBOX_SECURITY_CONTACT', 'security'],
  ['FAREBOX_SECURITY_CONTACT', 'http://acme.example/security'],
  ['FAREBOX_SECURITY_CONTACT', 'javascript:alert(1)'],
  ['FAREBOX_SUPPORT_EMAIL', '"><script>@x.example'],
])('refuses %s=%j with a message', (name, value) => {
  expect(() => brandOf({ [name]: value })).toThrow(ConfigError);
  expect(() => brandOf({ [name]: value })).toThrow(new RegExp(`^${name} must be `));
});

it.each([
  ['security@acme.example', 'mailto:security@acme.example'],
  ['https://acme.example/security', 'https://acme.example/security'],
  ['https://acme.example/\r\nContact: x', 'https://acme.example/Contact:%20x'],
])('writes the security contact %j as a URI in one line', (given, uri) => {
  const { values } = loadConfig('account', { ...needed, FAREBOX_SECURITY_CONTACT: given });
  expect(values.FAREBOX_SECURITY_CONTACT).toBe(uri);
});

it.each([
  ['Farebox', 'farebox'],
  ['Acme AI', 'acme-ai'],
  ['Société Générale!', 'societe-generale'],
  ['日本', 'farebox'],
])('the operator %s owns models as %s', (name, ownedBy) => {
  expect(toOwnedBy(name)).toBe(ownedBy);
});

it.each([
  ['#1a4fa0', '#ffffff'],
  ['#000000', '#ffffff'],
  ['#ffd43b', '#000000'],
  ['#ffffff', '#000000'],
])('text on %s is %s', (background, text) => {
  expect(textColorOn(background)).toBe(text);
});

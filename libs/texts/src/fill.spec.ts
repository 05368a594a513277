import { textsIn } from './every-language';
import { fill } from './fill';
import { pickLanguage } from './languages';

it('puts values into a text, once', () => {
  expect(fill('Welcome, {name}', { name: '{name} $& <b>' }, 'en')).toBe('Welcome, {name} $& <b>');
});

it.each([
  [0, 'en', 'for 0 requests'],
  [1, 'en', 'for 1 request'],
  [2_000, 'en', 'for 2,000 requests'],
  [1, 'de', 'für 1 Anfrage'],
  [2_000, 'de', 'für 2.000 Anfragen'],
] as const)('chooses the form of a noun by its number: %s in %s', (count, language, shown) => {
  const { t } = textsIn(language);
  const text = t('{amount} for {count, plural, one {# request} other {# requests}}', { amount: 'x', count });
  expect(text).toBe(`x ${shown}`);
});

it.each([
  [['de-AT', 'en'], 'de'],
  [['fr-FR', 'de', 'en'], 'de'],
  [['en-GB', 'de'], 'en'],
  [['DE'], 'de'],
  [['den', 'constructor'], 'en'],
  [['*'], 'en'],
  [[], 'en'],
] as const)('picks of %j the language %s', (preferred, language) => {
  expect(pickLanguage(preferred)).toBe(language);
});

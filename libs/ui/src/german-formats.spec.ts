import {
  entryPattern,
  fromEntry,
  nameClient,
  nameEvent,
  toBucketName,
  toCount,
  toDollars,
  toDuration,
  toEntry,
  toMonth,
  toRelativeTime,
  toShortDollars,
} from './format';
import { chooseLanguage, languageNow, rich, t } from './language';

/** A browser that prefers English. */
beforeAll(async () => {
  const kept = new Map<string, string>();
  Object.assign(globalThis, {
    document: { documentElement: { lang: 'en' } },
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    },
  });
  await chooseLanguage('de');
});

it('the chosen language is that of the document, and kept for the next visit', () => {
  expect(languageNow()).toBe('de');
  expect(document.documentElement.lang).toBe('de');
  expect(localStorage.getItem('farebox.language')).toBe('de');
});

it.each([
  ['1234567.500000000', '1.234.567,50 $'],
  ['-0.000010500', '-0,0000105 $'],
  ['25.000000000', '25,00 $'],
])('shows %s dollars as %s', (decimal, shown) => {
  expect(toDollars(decimal).replace('\u00a0', ' ')).toBe(shown);
});

it('shows money, numbers, times and names in German', () => {
  expect(toShortDollars('0.004000000').replace('\u00a0', ' ')).toBe('< 0,01 $');
  expect(toDollars('25.000000000', 0).replace('\u00a0', ' ')).toBe('25 $');
  expect(toCount(1_234_567)).toBe('1.234.567');
  expect(toDuration(2_449)).toBe('2,4 s');
  expect(toMonth('2026-10')).toBe('Oktober 2026');
  expect(toBucketName(Date.parse('2026-11-01T00:00:00Z') / 1_000, 'day')).toBe('1. Nov.');
  expect(toRelativeTime(1_800_000_000 - 86_400, 1_800_000_000_000)).toBe('gestern');
  expect(nameClient({ browser: 'Firefox on Linux', user_agent: null })).toBe('Firefox unter Linux');
  const event = { credential: 'api_key', action: 'revoke', name: 'laptop' } as const;
  expect(nameEvent({ ...event, credential_id: 'x', actor_id: null })).toBe('API-Schlüssel laptop widerrufen');
});

it.each([
  ['2,50', '2.50'],
  ['5', '5'],
  // A thousand to some, one to others.
  ['1.000', '1,000'],
])('reads the entry %s as %s', (entry, decimal) => {
  expect(fromEntry(entry)).toBe(decimal);
  expect(new RegExp(`^(?:${entryPattern('{1,9}')})$`).test(entry)).toBe(!decimal.includes(','));
});

it('writes an amount as it is typed', () => {
  expect(toEntry('2.500000000')).toBe('2,50');
  expect(toEntry('1234.000010500')).toBe('1234,0000105');
});

it('puts elements into a text, where the language has them', () => {
  const pieces = rich('<activity>Activity</activity> shows whether it was charged.', {
    activity: (words) => words.toUpperCase(),
  }) as { props: { children: string } }[];
  expect(pieces.map(({ props }) => props.children).join('')).toBe(
    'Unter AKTIVITÄT steht, ob sie berechnet wurde.',
  );
  expect(t('Welcome, {name}', { name: '{name}' })).toBe('Willkommen, {name}');
});

import { isSeenWhole } from './visible-text';

const [NON_JOINER, JOINER] = ['\u200c', '\u200d'];

describe('a text is fully visible', () => {
  it.each([
    ...['laptop', 'Zoë’s MacBook', '作業用', 'مفتاح', 'कुंजी', 'e\u0301tude', ''],
    ...['❤️', '1️⃣ key', '🇩🇪', '👩‍💻', '👨‍👩‍👧‍👦 home', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👍🏽'],
  ])('in %j', (text) => {
    expect(isSeenWhole(text)).toBe(true);
  });

  it.each([
    ['Persian, after a letter that would join', `می${NON_JOINER}خواهم`],
    ['Persian, before one that joins backwards alone', `خانه${NON_JOINER}ای`],
    ['Persian, twice', `نمی${NON_JOINER}خواهم کتاب${NON_JOINER}ها`],
    ['Arabic with vowel signs on both sides', `بَ${NON_JOINER}\u064eب`],
    ['Hindi, between letters that would be a conjunct', `क\u094d${NON_JOINER}ष`],
    ['Hindi, after a nukta', `क\u093c\u094d${NON_JOINER}ष`],
    ['Kannada', `ರಾಜ್${NON_JOINER}ಕುಮಾರ್`],
    ['Malayalam', `തമിഴ്${NON_JOINER}നാട്`],
  ])('with a non-joiner in %s', (_where, text) => {
    expect(isSeenWhole(text)).toBe(true);
  });

  it.each([
    ['Sinhala', `ශ\u0dca${JOINER}රී ලංකා`],
    ['Marathi', `र\u094d${JOINER}य`],
    ['Malayalam, at the end of a word', `ന\u0d4d${JOINER} a`],
    ['Hindi, at the end', `क\u094d${JOINER}`],
    ['Bengali', `ক\u09cd${JOINER}ষ`],
  ])('with a joiner in %s', (_where, text) => {
    expect(isSeenWhole(text)).toBe(true);
  });
});

describe('a text is not fully visible', () => {
  it.each([
    ...['lap\u200btop', 'lap\u00adtop', 'lap\u2060top', 'lap\ufefftop', 'a\u034fb', 'a\u180eb'],
    ...['a\u202eb', 'a\u2066b\u2069', 'a\u200fb', 'a\u2028b', 'line\nbreak', 'a\u0000b', 'half \ud83d'],
    // Halves around an emoji are no pair.
    '\ud83d❤️\ude00',
    ...['\u3164', '\uffa0', '\u115f', '\u2800', 'a\ufe0f', 'a\u{e0041}\u{e0042}', 'a\u{e0100}'],
    // Parts of an emoji: a flag's tags without the flag, joiners without anything to join.
    ...[
      '\u{e0067}\u{e0062}\u{e007f}',
      '\u{1f468}\u200d',
      '\u200d\u{1f469}',
      '\u{1f468}\u200d\u200d\u{1f469}',
    ],
  ])('in %j', (text) => {
    expect(isSeenWhole(text)).toBe(false);
  });

  it.each([
    ['Latin', `pay${NON_JOINER}pal`],
    ['Chinese', `作${NON_JOINER}業`],
    ['Persian, after a letter that does not join the next', `کار${NON_JOINER}ها`],
    ['Persian, before one that joins no other', `ب${NON_JOINER}ء`],
    ['Persian, at an end of a word', `می${NON_JOINER} خواهم`],
    ['Persian, at the start', `${NON_JOINER}می`],
    ['Persian, doubled', `می${NON_JOINER}${NON_JOINER}خواهم`],
    ['Persian, after a mark of another script', `می\u0941${NON_JOINER}خواهم`],
    ['Arabic, between forms that are what they are', `\ufe91${NON_JOINER}\ufe92`],
    ['Hindi, without a virama', `क${NON_JOINER}ष`],
    ['Hindi, at the end', `क\u094d${NON_JOINER}`],
    ['Hindi, before a letter of another script', `क\u094d${NON_JOINER}ক`],
    ['Hindi, before a vowel sign', `क\u094d${NON_JOINER}\u093f`],
    ['Thai, after a mark that makes no conjunct', `ก\u0e3a${NON_JOINER}ก`],
  ])('with a non-joiner in %s', (_where, text) => {
    expect(isSeenWhole(text)).toBe(false);
  });

  it.each([
    ['Latin', `pay${JOINER}pal`],
    ['Persian', `می${JOINER}خواهم`],
    ['Hindi, without a virama', `क${JOINER}ष`],
    ['Hindi, before a vowel sign', `क\u094d${JOINER}\u093f`],
    ['Hindi, doubled', `क\u094d${JOINER}${JOINER}ष`],
    ['Hindi, beside a non-joiner', `क\u094d${JOINER}${NON_JOINER}ष`],
    ['Hindi, after a virama of another script', `क\u09cd${JOINER}ष`],
    ['Hindi, after a virama without its letter', `\u094d${JOINER}ष`],
  ])('with a joiner in %s', (_where, text) => {
    expect(isSeenWhole(text)).toBe(false);
  });
});

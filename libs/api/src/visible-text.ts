/**
 * Control characters and line ends; halves of surrogate pairs, which PostgreSQL cannot store; and invisible
 * characters: they make two names look alike, reverse the text around them, or hide one in another (zero-width, bidi
 * controls, tags, fillers).
 */
const UNFIT_CHARACTER = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Arabic letters that join only the one before them. Source: Joining_Type in Unicode's ArabicShaping.txt. */
const RIGHT_JOINING =
  String.raw`[\u0622-\u0625\u0627\u0629\u062F-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06C0\u06C3-\u06CB\u06CD` +
  String.raw`\u06CF\u06D2\u06D3\u06D5\u06EE\u06EF\u0759-\u075B\u076B\u076C\u0771\u0773\u0774\u0778\u0779\u0870-\u0882\u088E` +
  String.raw`\u08AA-\u08AC\u08AE\u08B1\u08B2\u08B9]`;

/** Those that join no other. */
const NON_JOINING = String.raw`[\u0621\u0674\u06E5\u06E6\u0883-\u0885\u0887\u08AD\u08C9]`;

/** From the blocks of letters; presentation forms already have their form. */
const ARABIC_LETTER = String.raw`[\p{L}&&\p{sc=Arab}&&[\u0620-\u06FF\u0750-\u077F\u0870-\u08FF]]`;

/**
 * Makes a conjunct of two letters, by script. Source: Canonical_Combining_Class 9, without marks that only remove a
 * vowel.
 */
const VIRAMAS = {
  ...{ Deva: '\u094D', Beng: '\u09CD', Guru: '\u0A4D', Gujr: '\u0ACD', Orya: '\u0B4D', Taml: '\u0BCD' },
  ...{
    Telu: '\u0C4D',
    Knda: '\u0CCD',
    Mlym: '\u0D3B\u0D3C\u0D4D',
    Sinh: '\u0DCA',
    Mymr: '\u1039',
    Khmr: '\u17D2',
  },
};

const marksOf = (script: string): string => String.raw`[\p{Mn}&&[\p{sc=${script}}\p{sc=Zinh}]]*`;

/** Breaks the joining of two letters. Rule A1. */
const NON_JOINER_BETWEEN_JOINING =
  `(?<=[${ARABIC_LETTER}--[${RIGHT_JOINING}${NON_JOINING}]]${marksOf('Arab')})\u200C` +
  `(?=${marksOf('Arab')}[${ARABIC_LETTER}--${NON_JOINING}])`;

/** Prevents a conjunct of two letters, rule A2, or makes a half form of one, rule B. */
function joinersAfterVirama([script, viramas]: [script: string, viramas: string]): string {
  const letter = String.raw`[\p{L}&&\p{sc=${script}}]`;
  return String.raw`(?<=${letter}${marksOf(script)}[${viramas}])(?:\u200C(?=${letter})|\u200D(?!\p{M}))`;
}

/**
 * Visible joiners, because the text around them looks different without them: UAX #31, section 2.3, in the
 * recommended scripts. Stricter than its rules: no mark may come between a virama and the letter after it.
 */
const SEEN_JOINERS = [NON_JOINER_BETWEEN_JOINING, ...Object.entries(VIRAMAS).map(joinersAfterVirama)];

/** Whole emoji, of which some have joiners, selectors and tags inside. Not a literal: the target of the build has no flag v. */
const SEEN = new RegExp([String.raw`\p{RGI_Emoji}`, ...SEEN_JOINERS].join('|'), 'gv');

/** Whether every character of a line of text is visible, or changes how others look. */
export function isSeenWhole(line: string): boolean {
  return !UNFIT_CHARACTER.test(line.replace(SEEN, ' '));
}

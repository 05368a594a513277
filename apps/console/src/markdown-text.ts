const SAFE_PROTOCOLS: readonly string[] = ['https:', 'http:', 'mailto:'];

/** The address of a link that a model wrote; undefined if a click on it could run something. */
export function toSafeAddress(href: string): string | undefined {
  // Without a base: an address of the console itself is none of the model's business.
  const url = URL.canParse(href) ? new URL(href) : undefined;
  return url && SAFE_PROTOCOLS.includes(url.protocol) ? url.href : undefined;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
};
const HIGHEST_CODE_POINT = 0x10_ff_ff;

/** Text of Markdown with its character references resolved, as HTML would show it. */
export function toText(text: string): string {
  return text.replaceAll(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name: string | undefined, decimal: string | undefined, hex: string | undefined) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code > 0 && code <= HIGHEST_CODE_POINT ? String.fromCodePoint(code) : whole;
    },
  );
}

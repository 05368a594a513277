/** Digits of a mantissa and an exponent that no price or bill exceeds: a longer text is none. */
const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** A number as written in JSON or CSV, in units of 10^-places. */
interface ScaledDecimal {
  /** Rounded half away from zero. */
  units: bigint;
  /** Whether nothing was rounded. */
  isExact: boolean;
}

/**
 * Reads a decimal text, never through a float: `1.5e-06` to 12 places is 1,500,000 units. Undefined if the text is not
 * a decimal number.
 */
export function scaleDecimal(text: string, places: number): ScaledDecimal | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  const shift = places - fraction.length + Number(exponent);
  const { units, isExact } =
    shift >= 0 ? { units: digits * 10n ** BigInt(shift), isExact: true } : divided(digits, -shift);
  return { units: sign === '-' ? -units : units, isExact };
}

function divided(digits: bigint, places: number): ScaledDecimal {
  const unit = 10n ** BigInt(places);
  return { units: (digits + unit / 2n) / unit, isExact: digits % unit === 0n };
}

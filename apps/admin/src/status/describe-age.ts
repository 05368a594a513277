const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** A length of time in its two largest units, for a person: `2 h 5 min`. Less than none is none: clocks differ. */
export function describeAge(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  let rest = whole;
  for (const [length, unit] of UNITS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 || parts.length > 0) parts.push(`${String(count)} ${unit}`);
  }
  if (parts.length < 2) parts.push(`${String(rest)} s`);
  return parts.slice(0, 2).join(' ');
}

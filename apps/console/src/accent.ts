/** Ten shades of the operator's colour, from the lightest, such that text on them and in them can be read. */
type Shades = [string, string, string, string, string, string, string, string, string, string];

type Channels = readonly [number, number, number];

const WHITE: Channels = [255, 255, 255];
const BLACK: Channels = [0, 0, 0];
/** WCAG's for text of usual size. */
const MIN_CONTRAST = 4.5;
const STEP = 0.04;

/** How much white is in each of the shades that are lighter than the colour. */
const TINTS = [0.93, 0.85, 0.7, 0.55, 0.4, 0.25] as const;

export function toShades(hex: string): Shades {
  const colour = readHex(hex);
  const strong = darkenFor(colour);
  const [a, b, c, d, e, f] = TINTS.map((share) => toHex(mix(strong, WHITE, share)));
  return [
    a,
    b,
    c,
    d,
    e,
    f,
    toHex(strong),
    toHex(strong),
    toHex(mix(strong, BLACK, 0.12)),
    toHex(mix(strong, BLACK, 0.25)),
  ] as Shades;
}

/** The colour itself, or as much darker as white on it needs. */
function darkenFor(colour: Channels): Channels {
  let shade = colour;
  while (contrast(shade, WHITE) < MIN_CONTRAST) shade = mix(shade, BLACK, STEP);
  return shade;
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(one: Channels, other: Channels): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Channels): number {
  const linear = (channel: number) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function readHex(hex: string): Channels {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const mix = (one: Channels, other: Channels, share: number): Channels => [
  one[0] + (other[0] - one[0]) * share,
  one[1] + (other[1] - one[1]) * share,
  one[2] + (other[2] - one[2]) * share,
];

const toHex = (channels: Channels): string =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;

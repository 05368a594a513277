import {
  type AlertProps,
  type AnchorProps,
  type BadgeProps,
  type ButtonProps,
  createTheme,
  type CSSVariablesResolver,
  type DrawerProps,
  type MantineColorsTuple,
  type ModalProps,
  type MultiSelectProps,
  type PaperProps,
  type SelectProps,
  type TableProps,
  type ActionIconProps,
} from '@mantine/core';
import { t } from './language';

/** Ten shades of the operator's colour, lightest first, with readable text on them and in them. */
type Shades = [string, string, string, string, string, string, string, string, string, string];

type Channels = readonly [number, number, number];

const WHITE: Channels = [255, 255, 255];
const BLACK: Channels = [0, 0, 0];
/** The page's background in light colours, and the lightest one of texts in dark colours. */
const GROUND = '#f8f9fb';
const DARK_RAISED = '#24272d';
/** A little above WCAG's minimum for text of normal size, 4.5, since channels are rounded. */
const MIN_CONTRAST = 4.55;
const STEP = 0.04;

/** The share of white in each shade lighter than the colour. */
const TINTS = [0.93, 0.85, 0.7, 0.55, 0.4, 0.25] as const;
/** The library's shade of links in dark colours. */
const DARK_TEXT = 4;

export function toShades(hex: string): Shades {
  const colour = readHex(hex);
  // Readable as text on the page, and white on it.
  const strong = moveUntilReadable(colour, BLACK, readHex(GROUND));
  const [a, b, c, d, e, f] = TINTS.map((share, i) => {
    const tint = mix(strong, WHITE, share);
    return toHex(i === DARK_TEXT ? moveUntilReadable(tint, WHITE, readHex(DARK_RAISED)) : tint);
  });
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

/** The colour itself, or moved towards another one until it can be read on `ground`. */
function moveUntilReadable(colour: Channels, towards: Channels, ground: Channels): Channels {
  let shade = colour;
  while (contrast(shade, ground) < MIN_CONTRAST) shade = mix(shade, towards, STEP);
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

/** Indigo with a contrast of at least 4.5 to white from its sixth shade on. */
const ACCENT: MantineColorsTuple = [
  '#eef1ff',
  '#dfe4fb',
  '#bcc5f3',
  '#96a3eb',
  '#7584e4',
  '#5f70e0',
  '#4c5fd5',
  '#3f51c2',
  '#3747ae',
  '#2c3c9a',
];

/** Bluish greys, from text to background. */
const DARK: MantineColorsTuple = [
  '#e4e7eb',
  '#c5cad1',
  '#a3abb5',
  '#747d88',
  '#343941',
  '#2c3138',
  '#1e2126',
  '#16181c',
  '#111316',
  '#0b0c0e',
];

const SANS = "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
const MONOSPACE = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace";

const DIALOG = {
  closeButtonProps: {
    get 'aria-label'() {
      return t('Close');
    },
  },
  // The library's header of a dialog is an element that counts as the page's banner.
  attributes: { header: { role: 'presentation' } },
};

const LIST = {
  comboboxProps: { withinPortal: false },
  withScrollArea: false,
  classNames: { options: 'list-of-choices' },
};

const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent: ACCENT, dark: DARK },
  defaultRadius: 'md',
  fontFamily: SANS,
  fontFamilyMonospace: MONOSPACE,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  // Not by the components' own `extend`, which would load each of them with the first page.
  components: {
    // A link in a sentence or a cell inherits the size of its surroundings.
    Anchor: { defaultProps: { inherit: true } satisfies Partial<AnchorProps> },
    Badge: {
      defaultProps: {
        ...{ variant: 'light', tt: 'none', fw: 500, radius: 'sm', miw: 'max-content' },
      } satisfies Partial<BadgeProps>,
    },
    Button: { defaultProps: { fw: 500 } satisfies Partial<ButtonProps> },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } satisfies Partial<ActionIconProps> },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } satisfies Partial<PaperProps> },
    // Beside its field, so that its list belongs to the main part of the page. The list scrolls itself, as the one
    // that the arrow keys move in.
    Select: { defaultProps: LIST satisfies Partial<SelectProps> },
    MultiSelect: { defaultProps: LIST satisfies Partial<MultiSelectProps> },
    Table: { defaultProps: { verticalSpacing: 9, horizontalSpacing: 'md' } satisfies Partial<TableProps> },
    Alert: { defaultProps: { radius: 'lg' } satisfies Partial<AlertProps> },
    Drawer: { defaultProps: DIALOG satisfies Partial<DrawerProps> },
    Modal: { defaultProps: { ...DIALOG, centered: true, radius: 'lg' } satisfies Partial<ModalProps> },
  },
});

/** The theme with the operator's colour, if there is one. */
export const themeIn = (accentColor: string | null | undefined) =>
  accentColor ? { ...theme, colors: { ...theme.colors, accent: toShades(accentColor) } } : theme;

/**
 * A page background slightly darker than its contents, and dimmed text that is still readable: the library's
 * own grey has a contrast below 4.5 on white.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-default-border': '#e3e5e9',
    '--console-ground': GROUND,
    '--console-raised': '#ffffff',
    '--console-chosen': '#eceef2',
    '--console-code': '#f5f6f8',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb5',
    '--mantine-color-placeholder': '#8b939d',
    '--mantine-color-default-border': '#2d3138',
    '--console-ground': '#111316',
    '--console-raised': '#16181c',
    '--console-chosen': DARK_RAISED,
    '--console-code': '#101215',
  },
});

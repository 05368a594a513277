import {
  ActionIcon,
  Alert,
  Anchor,
  Badge,
  Button,
  createTheme,
  Drawer,
  Modal,
  Paper,
  Table,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';
import { toShades } from './accent';

/** Indigo that keeps a contrast of 4.5 with white from its sixth shade on. */
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

/** Greys with some blue in them, from the text to the ground. */
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
  components: {
    // A link within a sentence or a cell is as large as what stands around it.
    Anchor: Anchor.extend({ defaultProps: { inherit: true } }),
    Badge: Badge.extend({
      defaultProps: { variant: 'light', tt: 'none', fw: 500, radius: 'sm', miw: 'max-content' },
    }),
    Button: Button.extend({ defaultProps: { fw: 500 } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Paper: Paper.extend({ defaultProps: { withBorder: true, radius: 'lg' } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 9, horizontalSpacing: 'md' } }),
    Alert: Alert.extend({ defaultProps: { radius: 'lg' } }),
    Drawer: Drawer.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Modal: Modal.extend({
      defaultProps: { centered: true, radius: 'lg', closeButtonProps: { 'aria-label': 'Close' } },
    }),
  },
});

/** The theme in the operator's colour, if they have one. */
export const themeIn = (accentColor: string | null | undefined) =>
  accentColor ? { ...theme, colors: { ...theme.colors, accent: toShades(accentColor) } } : theme;

/**
 * A page that is a shade darker than what stands on it, and quiet text that can still be read: the library's own grey
 * is below a contrast of 4.5 on white.
 */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-default-border': '#e3e5e9',
    '--console-ground': '#f8f9fb',
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
    '--console-chosen': '#24272d',
    '--console-code': '#101215',
  },
});

import { z } from 'zod';
import { isLoopback, readBy, type Variable } from './fields';

/** The operator's brand for customers: on pages, in the console, in mails and on invoices. */
export interface Brand {
  name: string;
  /** An image, shown at a height of two lines. */
  logoUrl: string | undefined;
  /** Colour of buttons and links, as `#1a4fa0`. */
  color: string | undefined;
  /** Where customers get support. */
  supportEmail: string | undefined;
}

const DEFAULT_NAME = 'Farebox';

/** One line, since it is part of mail subjects. */
function operatorName() {
  return z
    .string()
    .trim()
    .regex(/^[^\p{Cc}\u2028\u2029]{1,60}$/u, 'must be a name of at most 60 characters, in one line');
}

const LOGO = 'must be the https address of an image, like https://example.com/logo.svg';

/**
 * Its origin becomes part of the content security policy, so it must contain nothing that ends a directive.
 */
function logoUrl() {
  return z.string().transform((text, context): string => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isSafe = url && (url.protocol === 'https:' || isLoopback(url.href)) && url.username === '';
    if (isSafe && !/[\s;,'"]/.test(url.href)) return url.href;
    context.addIssue({ code: 'custom', message: LOGO });
    return z.NEVER;
  });
}

function color() {
  return z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour like #1a4fa0')
    .toLowerCase();
}

function emailAddress() {
  return z.email('must be an e-mail address like help@example.com').max(254);
}

const CONTACT = 'must be an e-mail address like security@example.com, or an https address';

/** As a URI, as RFC 9116 requires. */
function securityContact() {
  return z.string().transform((text, context): string => {
    if (emailAddress().safeParse(text).success) return `mailto:${text}`;
    if (/^https:/i.test(text) && URL.canParse(text)) return new URL(text).href;
    context.addIssue({ code: 'custom', message: CONTACT });
    return z.NEVER;
  });
}

/** The variables of the brand. */
export const brand = {
  FAREBOX_OPERATOR_NAME: {
    meaning: 'name of the service: in the console, mails, invoices, and as `owned_by` of models',
    ...readBy(['account', 'worker', 'operator', 'admin'], operatorName().default(DEFAULT_NAME)),
  },
  FAREBOX_OPERATOR_LOGO_URL: {
    meaning: 'image for the console, mails and the invoice page',
    ...readBy(['account', 'worker'], logoUrl().optional()),
  },
  FAREBOX_OPERATOR_COLOR: {
    meaning: 'colour of buttons and links',
    ...readBy(['account', 'worker'], color().optional()),
  },
  FAREBOX_SUPPORT_EMAIL: {
    meaning: 'support address for customers; shown wherever they need help',
    ...readBy(['account', 'worker'], emailAddress().optional()),
  },
  FAREBOX_SECURITY_CONTACT: {
    meaning: 'contact for vulnerability reports, at `/.well-known/security.txt`; not set: no such page',
    account: securityContact().optional(),
  },
} as const satisfies Record<string, Variable>;

interface BrandValues {
  FAREBOX_OPERATOR_NAME: string;
  FAREBOX_OPERATOR_LOGO_URL?: string | undefined;
  FAREBOX_OPERATOR_COLOR?: string | undefined;
  FAREBOX_SUPPORT_EMAIL?: string | undefined;
}

export function toBrand(values: BrandValues): Brand {
  return {
    name: values.FAREBOX_OPERATOR_NAME,
    logoUrl: values.FAREBOX_OPERATOR_LOGO_URL,
    color: values.FAREBOX_OPERATOR_COLOR,
    supportEmail: values.FAREBOX_SUPPORT_EMAIL,
  };
}

/** The name in `owned_by` of models: `Acme AI` becomes `acme-ai`. */
export function toOwnedBy(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return plain.replaceAll(/^-+|-+$/g, '').slice(0, 64) || DEFAULT_NAME.toLowerCase();
}

/**
 * Black or white, whichever is more readable on a colour. Source: WCAG 2.2, "relative luminance" and
 * "contrast ratio".
 */
export function textColorOn(background: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(background.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

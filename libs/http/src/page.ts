import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { textColorOn, type Brand } from '@farebox/config';
import type { ApiError } from '@farebox/errors';
import { DEFAULT_LANGUAGE } from '@farebox/texts';
import { textsIn, type Texts } from '@farebox/texts/every-language';
import escapeHtml from 'escape-html';
import helmet from 'helmet';

/** HTML that may be put into a page: text from outside the service went through `escapeHtml`. */
export interface Page {
  /** Plain text: the title of the document and its heading. */
  title: string;
  /** The content of `body` below the heading, as HTML. */
  content: string;
  /** The brand of the page: its color is that of the button, its address is at the bottom of the page. */
  brand?: Pick<Brand, 'name' | 'color' | 'supportEmail'>;
  /** Those of the page's language; by default English. */
  texts?: Texts;
}

/** A page as it is sent. */
export interface RenderedPage {
  html: string;
  /** Replaces the headers of JSON. */
  headers: Readonly<Record<string, string>>;
}

/** The console's own colour. */
const DEFAULT_COLOR = '#3f51c2';

/** A small page without a script, complete in itself. */
export function renderPage({ title, content, brand, texts = textsIn(DEFAULT_LANGUAGE) }: Page): RenderedPage {
  const style = styleOf(brand?.color ?? DEFAULT_COLOR);
  return {
    html: `<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${brand ? headOf(brand) : ''}<section>
<h1>${escapeHtml(title)}</h1>
${content}
</section>
${brand ? footerOf(brand, texts) : ''}</main>
</body>
</html>
`,
    headers: headersFor(style),
  };
}

/** As on the console's sign-in page. */
function headOf({ name }: NonNullable<Page['brand']>): string {
  return `<p class="brand"><b aria-hidden="true">${escapeHtml(String.fromCodePoint(name.codePointAt(0) ?? 0x20))}</b> ${escapeHtml(name)}</p>\n`;
}

function footerOf({ name, supportEmail }: NonNullable<Page['brand']>, { t }: Texts): string {
  if (supportEmail === undefined) return '';
  const address = escapeHtml(supportEmail);
  const question = escapeHtml(t('Questions? Ask {service}:', { service: name }));
  return `<p><small>${question} <a href="mailto:${address}">${address}</a></small></p>\n`;
}

/** The console's looks, which it loads from files of its own: this page has none. */
const styleOf = (color: string): string => `
:root { color-scheme: light dark; background: light-dark(#f8f9fb, #111316); color: light-dark(#000, #c5cad1); }
body { margin: 0; padding: 1rem; min-height: calc(100vh - 2rem); display: grid; align-items: center; font: 0.875rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; }
main { width: 100%; max-width: 26rem; margin: 0 auto; }
section { padding: 2rem; background: light-dark(#fff, #16181c); border: 1px solid light-dark(#e3e5e9, #2d3138); border-radius: 1rem; overflow-wrap: anywhere; }
section > :last-child { margin-bottom: 0; }
.brand { display: flex; gap: 0.75rem; justify-content: center; align-items: center; font-size: 1rem; font-weight: 600; }
.brand b { display: grid; place-items: center; width: 1.75rem; height: 1.75rem; border-radius: 0.4rem; color: ${textColorOn(color)}; background: ${color}; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; font-weight: 600; line-height: 1.3; }
h2 { font-size: 0.9375rem; font-weight: 600; margin-top: 2rem; }
a { color: light-dark(#3f51c2, #8f9bea); }
button { width: 100%; padding: 0.55rem 1.2rem; font: inherit; font-weight: 600; color: ${textColorOn(color)}; background: ${color}; border: 0; border-radius: 0.5rem; cursor: pointer; }
label { display: block; margin-bottom: 0.3rem; font-weight: 500; }
input:not([type='hidden']) { box-sizing: border-box; width: 100%; margin-bottom: 0.75rem; padding: 0.5rem 0.75rem; font: inherit; color: inherit; background: light-dark(#fff, #1d2025); border: 1px solid light-dark(#8b929b, #6b737d); border-radius: 0.5rem; }
table { border-collapse: collapse; }
th, td { padding: 0.3rem 0.8rem 0.3rem 0; text-align: left; font-weight: normal; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
main > p:last-child { text-align: center; }
small { color: light-dark(#5c636a, #a3abb5); }
`;

const headersByStyle = new Map<string, Readonly<Record<string, string>>>();

/**
 * A page may use its own style and send its own form to this service, and nothing else. Not `no-referrer`: under
 * that, browsers send the form with `Origin: null`, which cannot be distinguished from a foreign one. `strict-origin`
 * hides the path, which holds the token of a link.
 */
function headersFor(style: string): Readonly<Record<string, string>> {
  const known = headersByStyle.get(style);
  if (known) return known;
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
          formAction: ["'self'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      referrerPolicy: { policy: 'strict-origin' },
      xFrameOptions: { action: 'deny' },
    }),
  );
  headersByStyle.set(style, headers);
  return headers;
}

/** Features that no page uses, so that no injected script may either. helmet has no header for them. */
const DENIED_FEATURES = [
  ...[
    'accelerometer',
    'bluetooth',
    'browsing-topics',
    'camera',
    'display-capture',
    'geolocation',
    'gyroscope',
  ],
  ...['hid', 'magnetometer', 'microphone', 'midi', 'payment', 'publickey-credentials-get', 'serial', 'usb'],
];

const PERMISSIONS_POLICY = DENIED_FEATURES.map((feature) => `${feature}=()`).join(', ');

/** The headers that helmet sets, and the service's permissions policy; computed without a request. */
export function headersOf(middleware: ReturnType<typeof helmet>): Record<string, string> {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  middleware(res.req, res, (error?: unknown) => {
    if (error) throw error instanceof Error ? error : new Error('helmet refused its options');
  });
  const headers = Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries([...headers, ['permissions-policy', PERMISSIONS_POLICY]]);
}

/**
 * Whether a browser opens the address, so that a person sees the response. Modern browsers say so; among older
 * clients, only browsers ask for XHTML. A program that asks for HTML alone is treated like any other.
 */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const { accept = '' } = headers;
  if (!takesHtml(headers)) return false;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? accept.includes('application/xhtml+xml') : mode === 'navigate';
}

/** Whether a request explicitly asks for HTML. `*\/*` is what programs send. */
export function takesHtml({ accept = '' }: IncomingMessage['headers']): boolean {
  return /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept);
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'You are not signed in',
  403: 'No access',
  404: 'There is nothing here',
  429: 'Too many requests',
  503: 'Not available at the moment',
};

/** An error for a person: its message, the id to quote, and two links. */
export function errorPage(error: ApiError, requestId: string): RenderedPage {
  const { code, status, publicMessage } = error;
  const title = TITLES[status] ?? (status >= 500 ? 'Something went wrong' : 'This did not work');
  return renderPage({
    title,
    content: `<p>${escapeHtml(publicMessage)}</p>
<p><a href="/">Open the console</a> · <a href="${helpPathOf(code)}">About this error</a></p>
<p><small>Error <code>${code}</code>, request <code>${escapeHtml(requestId)}</code></small></p>`,
  });
}

/** The error page of both services. */
export function helpPathOf(code: string): string {
  return `/docs/errors/${code}`;
}

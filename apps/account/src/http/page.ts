import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { DocumentAnswer } from './endpoint';

/** HTML that may be put into a page: what is not written here went through `toHtmlText`. */
export interface Page {
  status: number;
  title: string;
  /** The content of `body`, as HTML. */
  content: string;
  headers?: Readonly<Record<string, string>>;
}

const STYLE = `
body { max-width: 32rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #1a1a1a; }
h1 { font-size: 1.4rem; }
button { padding: 0.6rem 1.2rem; font: inherit; color: #fff; background: #1a4fa0; border: 0; border-radius: 0.3rem; }
small { color: #555; }
`;

/**
 * What replaces the headers of JSON: a page may use its own style and send its own form to this service,
 * and nothing else. Not `no-referrer`: under that, browsers send the form with `Origin: null`, and it could not be told
 * from a foreign one. `strict-origin` shows nobody the path, which holds the token of a link.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = headersOf(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: [`'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'strict-origin' },
    xFrameOptions: { action: 'deny' },
  }),
);

/** A small page without a script, complete in itself. */
export function toPageAnswer({ status, title, content, headers = {} }: Page): DocumentAnswer {
  return {
    status,
    document: {
      mediaType: 'text/html',
      content: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`,
      headers: { ...PAGE_HEADERS, ...headers },
    },
  };
}

function headersOf(middleware: ReturnType<typeof helmet>): Record<string, string> {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  middleware(res.req, res, (error?: unknown) => {
    if (error) throw error instanceof Error ? error : new Error('helmet refused its options');
  });
  return Object.fromEntries(Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]));
}

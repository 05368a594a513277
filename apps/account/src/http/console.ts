import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import type { Brand } from '@farebox/config';
import {
  cutWhenSlow,
  headersOf,
  renderPage,
  sendPage,
  takesHtml,
  type RenderedPage,
  type Route,
} from '@farebox/http';
import escapeHtml from 'escape-html';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Locals } from './serve-endpoint';

/** A file of the console, and its compressed form if the build found it worthwhile. */
interface Asset {
  plain: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

/** The output of `vite build`, in memory: a few megabytes, and no request path reaches the disk. */
export interface ConsoleFiles {
  index: string;
  /** By request path. */
  assets: ReadonlyMap<string, Asset>;
}

/** Reads the files that the build put next to the bundle; `undefined` if they are missing. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  const index = path.join(folder, 'index.html');
  if (!existsSync(index)) return undefined;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const read = (file: string): Buffer | undefined => (existsSync(file) ? readFileSync(file) : undefined);
  const assets = files
    .filter((file) => file !== index && !/\.(?:br|gz|map)$/.test(file))
    .map((file): [string, Asset] => [
      `/${path.relative(folder, file).split(path.sep).join('/')}`,
      { plain: readFileSync(file), br: read(`${file}.br`), gzip: read(`${file}.gz`) },
    ]);
  return { index: readFileSync(index, 'utf8'), assets: new Map(assets) };
}

export interface ConsoleParts {
  files: ConsoleFiles | undefined;
  /** The page has the operator's name as title, their colour, and may load their logo. */
  brand: Pick<Brand, 'name' | 'color' | 'logoUrl'>;
}

/** First path segments that never belong to the console, in addition to those of the routes. */
const NOT_PAGES = ['v1', '.well-known', 'auth', 'console', 'metrics', 'healthz', 'readyz', 'webhooks'];

/**
 * Serves the console to browsers: its assets, and its page under every address outside the API, so that each
 * address can be opened, reloaded and shared. Passes everything else on.
 */
export function serveConsole({ files, brand }: ConsoleParts, routes: readonly Route[]) {
  const apiSegments = new Set([...NOT_PAGES, ...routes.map((route) => firstSegment(route.path))]);
  const sendIndex = files ? indexSender(files.index, brand) : undefined;
  return (req: Request, res: Response<unknown, Locals>, next: NextFunction): void => {
    const asset = files?.assets.get(req.path);
    if (req.method !== 'GET' && req.method !== 'HEAD') next();
    else if (asset) {
      res.locals.route = 'console assets';
      sendAsset(asset, req, res);
    } else if (apiSegments.has(firstSegment(req.path)) || !takesHtml(req.headers)) next();
    else {
      res.locals.route = 'console';
      if (sendIndex) sendIndex(req, res);
      else sendPage(res, 503, WITHOUT_CONSOLE);
    }
  };
}

const firstSegment = (text: string): string => text.split('/')[1] ?? '';

const WITHOUT_CONSOLE: RenderedPage = renderPage({
  title: 'The console is not installed',
  content: `<p>This service was started without the files of the console. The API works: <a href="/docs">read about it</a>.</p>
<p><small>For the operator: <code>npm run build -- account</code> adds the console to the service.</small></p>`,
});

/** The page shows an empty frame until its scripts have run, except where the console has none. */
const PAGES_WITHOUT_FRAME = new Set(['/sign-in', '/no-access']);

/**
 * Sends the page with a fresh nonce, which apps/console/src/main.tsx gives to the styles of the component
 * library. A cached page keeps its original policy: a 304 has none, so that the two nonces stay equal.
 */
function indexSender(index: string, { name, color, logoUrl }: ConsoleParts['brand']) {
  const tint = color === undefined ? '' : `<meta name="theme-color" content="${color}" />`;
  const head = `<title>${escapeHtml(name)}</title>${tint}`;
  // A function, since `$&` in a name must stay literal.
  const template = index.replace(/<title>[^<]*<\/title>/, () => head);
  const withoutFrame = template.replace('<div class="frame">', '<div>');
  const imageOrigins = logoUrl === undefined ? [] : [new URL(logoUrl).origin];
  const etag = `"${createHash('sha256').update(template).update(imageOrigins.join()).digest('base64url').slice(0, 22)}"`;
  return (req: Request, res: ServerResponse): void => {
    res.setHeader('cache-control', 'no-cache');
    res.setHeader('etag', etag);
    if (req.headers['if-none-match'] === etag) {
      res.removeHeader('content-security-policy');
      res.statusCode = 304;
      res.end();
      return;
    }
    const nonce = randomBytes(18).toString('base64');
    const html = Buffer.from(
      (PAGES_WITHOUT_FRAME.has(req.path) ? withoutFrame : template).replace(
        '</head>',
        `<meta name="csp-nonce" content="${nonce}" /></head>`,
      ),
    );
    for (const [header, value] of Object.entries(headersFor(nonce, imageOrigins)))
      res.setHeader(header, value);
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.setHeader('content-length', html.length);
    res.end(req.method === 'HEAD' ? undefined : html);
    cutWhenSlow(res);
  };
}

/**
 * The console runs only its own scripts, talks only to this origin, and loads only the operator's logo from
 * elsewhere.
 */
function headersFor(nonce: string, imageOrigins: readonly string[]): Record<string, string> {
  return headersOf(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'", `'nonce-${nonce}'`],
          imgSrc: ["'self'", 'data:', ...imageOrigins],
          fontSrc: ["'self'"],
          connectSrc: ["'self'"],
          formAction: ["'self'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      xFrameOptions: { action: 'deny' },
    }),
  );
}

const HASHED = '/console/assets/';
/** The name of a hashed file changes with its content. The few others are revalidated after a day. */
const [FOR_EVER, FOR_A_DAY] = ['public, max-age=31536000, immutable', 'public, max-age=86400'];

function sendAsset(asset: Asset, req: Request, res: Response): void {
  const accepted = req.acceptsEncodings();
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name) && asset[name]);
  const content = (encoding && asset[encoding]) ?? asset.plain;
  res.type(path.extname(req.path));
  res.setHeader('cache-control', req.path.startsWith(HASHED) ? FOR_EVER : FOR_A_DAY);
  res.setHeader('vary', 'Accept-Encoding');
  if (encoding) res.setHeader('content-encoding', encoding);
  res.setHeader('content-length', content.length);
  res.end(req.method === 'HEAD' ? undefined : content);
  cutWhenSlow(res);
}

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import type { Brand } from '@farebox/config';
import escapeHtml from 'escape-html';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import { headersOf } from './page';
import { cutWhenSlow } from './respond';

/** A file of a console, and its compressed form if the build found it worthwhile. */
export interface ConsoleAsset {
  plain: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

/** The output of `vite build`, in memory: a few megabytes, and no request path reaches the disk. */
export interface ConsoleFiles {
  index: string;
  /** By request path. */
  assets: ReadonlyMap<string, ConsoleAsset>;
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
    .map((file): [string, ConsoleAsset] => [
      `/${path.relative(folder, file).split(path.sep).join('/')}`,
      { plain: readFileSync(file), br: read(`${file}.br`), gzip: read(`${file}.gz`) },
    ]);
  return { index: readFileSync(index, 'utf8'), assets: new Map(assets) };
}

/** The brand of the service's operator in a console: their name, their colour, and their logo from elsewhere. */
export type ConsoleBrand = Pick<Brand, 'name' | 'color' | 'logoUrl'>;

/**
 * Sends the page of a console with a fresh nonce, which its main.tsx gives to the styles of the component library.
 * `hasFrame`: whether a page shows an empty frame until its scripts have run. A cached page keeps its original policy: a
 * 304 has none, so that the two nonces stay equal.
 */
export function consolePage(
  { index }: ConsoleFiles,
  { name, color, logoUrl }: ConsoleBrand,
  hasFrame: (path: string) => boolean,
) {
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
      (hasFrame(req.path) ? template : withoutFrame).replace(
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
 * A console runs only its own scripts, talks only to this origin, and loads only the operator's logo from
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

const HASHED = /^\/\w+\/assets\//;
/** The name of a hashed file changes with its content. The few others are revalidated after a day. */
const [FOR_EVER, FOR_A_DAY] = ['public, max-age=31536000, immutable', 'public, max-age=86400'];

/** Sends a file of a console, as the browser accepts it. */
export function sendConsoleAsset(asset: ConsoleAsset, req: Request, res: Response): void {
  const accepted = req.acceptsEncodings();
  const encoding = (['br', 'gzip'] as const).find((name) => accepted.includes(name) && asset[name]);
  const content = (encoding && asset[encoding]) ?? asset.plain;
  res.type(path.extname(req.path));
  res.setHeader('cache-control', HASHED.test(req.path) ? FOR_EVER : FOR_A_DAY);
  res.setHeader('vary', 'Accept-Encoding');
  if (encoding) res.setHeader('content-encoding', encoding);
  res.setHeader('content-length', content.length);
  res.end(req.method === 'HEAD' ? undefined : content);
  cutWhenSlow(res);
}

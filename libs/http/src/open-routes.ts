import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { cutWhenSlow, sendJson } from './respond';

export interface Readiness {
  /** Whether this process can serve a request now. */
  isReady(): boolean | Promise<boolean>;
}

/** Whether a request is a health check. */
export function isHealthCheck({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && (url === '/healthz' || url === '/readyz');
}

/** Answers `GET /healthz` and `GET /readyz`, and passes everything else on. */
export function healthRoutes(readiness: Readiness) {
  return (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void => {
    if (req.method === 'GET' && req.url === '/healthz') sendJson(res, 200, { status: 'ok' });
    else if (req.method === 'GET' && req.url === '/readyz') sendReadiness(res, readiness).catch(next);
    else next();
  };
}

async function sendReadiness(res: ServerResponse, readiness: Readiness): Promise<void> {
  const ready = await readiness.isReady();
  sendJson(res, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready' });
}

/** A document that is the same for everybody during the life of the process. */
export interface PublicDocument {
  /** The path of `GET`, e.g. `/openapi.json`. */
  path: string;
  /** The pattern that several documents share, e.g. `/docs/errors/:code`; by default the path itself. */
  route?: string;
  contentType: string;
  text: string;
  /** Replaces the service's policy for a page that needs other rules. */
  headers?: Readonly<Record<string, string>>;
}

/** A cache revalidates the document each time: the next release may have another. */
const CACHE_CONTROL = 'public, no-cache';

/** Handler of `GET` and `HEAD`: the document with an `ETag`, or 304 if `If-None-Match` names it. */
export function servePublicDocument({ contentType, text, headers = {} }: PublicDocument) {
  const content = Buffer.from(text);
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return (req: IncomingMessage, res: ServerResponse): void => {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    res.setHeader('cache-control', CACHE_CONTROL);
    res.setHeader('etag', etag);
    if (namesEtag(req.headers['if-none-match'], etag)) {
      res.statusCode = 304;
      res.end();
      return;
    }
    res.setHeader('content-type', contentType);
    res.setHeader('content-length', content.length);
    res.end(req.method === 'HEAD' ? undefined : content);
    cutWhenSlow(res);
  };
}

/** The weak comparison of RFC 9110: a proxy that compresses marks an ETag as weak. */
function namesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const named = (ifNoneMatch ?? '').split(',').map((part) => part.trim().replace(/^W\//, ''));
  return named.includes(etag) || named.includes('*');
}

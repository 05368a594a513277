import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { expectDocumented } from './expect-documented';

type Headers = OutgoingHttpHeaders | string[];

export interface Sent {
  headers?: Headers;
  /** An object is sent as JSON with its content type; a text or bytes as they are. */
  body?: string | Buffer | object;
}

export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
  json: unknown;
}

export type Send = (method: string, path: string, sent?: Sent) => Promise<Received>;

/**
 * Sends requests as written: Node's own client, without what `fetch` adds or forbids. Rejects where an answer, or a
 * request that was taken, is not as the OpenAPI document says.
 */
export function httpClient(port: number): Send {
  return (method, path, sent = {}) =>
    new Promise((resolve, reject) => {
      const payload = payloadOf(sent);
      const headers = headersOf(sent, payload);
      const req = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          const status = res.statusCode ?? 0;
          const received = { status, headers: res.headers, bytes, text, json: parse(text) };
          try {
            expectDocumented({ method, target: path, requestBody: payload?.toString(), ...received });
            resolve(received);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      });
      req.on('error', reject);
      req.end(payload);
    });
}

const isJson = (body: Sent['body']): body is object => typeof body === 'object' && !Buffer.isBuffer(body);

function payloadOf({ body }: Sent): string | Buffer | undefined {
  return isJson(body) ? JSON.stringify(body) : body;
}

/** Node frames the body of a GET and of a DELETE only where it is told its length. */
function headersOf({ headers = {}, body }: Sent, payload: string | Buffer | undefined): Headers {
  if (Array.isArray(headers)) return headers;
  const framed = payload === undefined || 'transfer-encoding' in headers;
  return {
    ...(isJson(body) ? { 'content-type': 'application/json' } : {}),
    ...(framed ? {} : { 'content-length': Buffer.byteLength(payload) }),
    ...headers,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

import { lookup } from 'node:dns/promises';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressRule } from './addresses';

/** Why nothing was answered. */
export type AttemptError =
  | 'address_refused'
  | 'http_refused'
  | 'name_not_found'
  | 'connection_failed'
  | 'certificate_invalid'
  | 'timed_out';

export type AttemptResult = { status: number } | { error: AttemptError };

export interface WebhookTransport {
  mayReach: AddressRule;
  /** Allows http. */
  allowsHttp: boolean;
  timeoutMs: number;
  /** All addresses of a name. In place of the system's, for tests. */
  resolve?: (name: string) => Promise<readonly { address: string; family: number }[]>;
}

interface Webhook {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Nobody reads the response. A longer one ends the connection. */
const MOST_RESPONSE_BYTES = 65_536;

const resolveBySystem = (name: string) => lookup(name, { all: true });

/**
 * Sends a webhook and returns the status. Follows no redirect and keeps nothing of the response. The address is
 * checked after the name was resolved, and the connection made to that same address: a name that resolves to
 * another one the next time gains nothing.
 */
export async function sendWebhook(
  { url: text, headers, body }: Webhook,
  { mayReach, allowsHttp, timeoutMs, resolve = resolveBySystem }: WebhookTransport,
): Promise<AttemptResult> {
  const url = new URL(text);
  if (url.protocol !== 'https:' && !allowsHttp) return { error: 'http_refused' };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // No name is looked up for an address.
  if (isIP(host) !== 0 && !mayReach(host)) return { error: 'address_refused' };

  const open: typeof overHttp = url.protocol === 'https:' ? overHttps : overHttp;
  const request = open(url, {
    method: 'POST',
    // A connection of its own, through no proxy.
    agent: false,
    lookup: lookupOf(resolve, mayReach),
    signal: AbortSignal.timeout(timeoutMs),
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  });
  return new Promise((settle) => {
    request.on('error', (error) => {
      settle({ error: toAttemptError(error) });
    });
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      let read = 0;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > MOST_RESPONSE_BYTES) response.destroy();
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        settle({ status });
      });
    });
    request.end(body);
  });
}

class AddressRefusedError extends Error {}
class NameNotFoundError extends Error {}

function lookupOf(resolve: NonNullable<WebhookTransport['resolve']>, mayReach: AddressRule): LookupFunction {
  return (name, options, done) => {
    resolve(name).then(
      (found) => {
        const addresses = found.filter(({ address }) => mayReach(address));
        const [first] = addresses;
        if (!first) done(new AddressRefusedError('no address of the name may be reached'), '', 0);
        else if (options.all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      },
      (error: unknown) => {
        done(new NameNotFoundError('the name was not resolved', { cause: error }), '', 0);
      },
    );
  };
}

function toAttemptError(error: Error & { code?: string }): AttemptError {
  if (error instanceof AddressRefusedError) return 'address_refused';
  if (error instanceof NameNotFoundError) return 'name_not_found';
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'timed_out';
  return /CERT|TLS|SSL|SIGNATURE/.test(error.code ?? '') ? 'certificate_invalid' : 'connection_failed';
}

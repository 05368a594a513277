import { createSession } from '@farebox/accounts';
import { createPool } from '@farebox/database';
import { createTestDatabase, givenAccount, type GivenAccount, PATIENT_POOL } from '@farebox/testing';
import type { Pool } from 'pg';
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { ContractCheck, type Exchange } from '@farebox/api/test';
import { ERROR_CODES, type ErrorCode } from '@farebox/errors';
import { startAccountProcess, type AccountProcess } from './processes';

/** A person with an account and a session. */
export interface Customer {
  accountId: string;
  sessionToken: string;
  /** Sends with the session as a bearer. */
  send: Send;
}

/** The running service with its own database. */
export interface AccountHarness {
  pool: Pool;
  /** The database's URL for a gateway beside the service. */
  serviceUrl: string;
  /** The database's URL for a worker beside the service. */
  workerUrl: string;
  process: AccountProcess;
  /** Sends without a credential. */
  send: Send;
  givenCustomer(account?: GivenAccount): Promise<Customer>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  /** The database URL for the service, if it differs from the database's own. */
  urlForService?: (databaseUrl: string) => Promise<string>;
  /** Added to what the service needs. */
  environment?: Record<string, string>;
}

export async function openAccountHarness({
  urlForService,
  environment = {},
}: HarnessOptions = {}): Promise<AccountHarness> {
  const database = await createTestDatabase();
  const pool = createPool({ ...PATIENT_POOL, url: database.url, max: 4, applicationName: 'account-e2e' });
  const { serviceUrl, accountUrl, workerUrl } = database;
  const process = await startAccountProcess((await urlForService?.(accountUrl)) ?? accountUrl, environment);
  const send = httpClient(process.port);
  return {
    pool,
    serviceUrl,
    workerUrl,
    process,
    send,
    async givenCustomer(account) {
      const accountId = await givenAccount(pool, account);
      const { token } = await createSession(accountId, pool);
      return { accountId, sessionToken: token, send: withBearer(send, token) };
    },
    async close() {
      await process.stop();
      await pool.end();
      await database.drop();
    },
  };
}

function withBearer(send: Send, token: string): Send {
  return (method: string, path: string, { headers = {}, ...rest }: Sent = {}): Promise<Received> =>
    send(method, path, {
      ...rest,
      headers: Array.isArray(headers)
        ? [...headers, 'authorization', `Bearer ${token}`]
        : { authorization: `Bearer ${token}`, ...headers },
    });
}

type Headers = OutgoingHttpHeaders | string[];

export interface Sent {
  headers?: Headers;
  /** An object is sent as JSON with its content type; a text or bytes are sent unchanged. */
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
 * Sends requests as written: Node's own client, without the additions and restrictions of `fetch`. Rejects if
 * an answer, or an accepted request, does not match the OpenAPI document.
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

/** Node frames the body of a GET and of a DELETE only with an explicit length. */
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

const check = new ContractCheck();

/** Checks every exchange of every test against the OpenAPI document. Throws the differences. */
export function expectDocumented(exchange: Exchange): void {
  check.expect(exchange);
}

export interface ExpectedError {
  status: number;
  code: ErrorCode;
  param?: string | null;
}

/** Checks the whole contract of a refusal: status, the envelope with exactly four fields, and the headers. */
export function expectError(received: Received, { status, code, param = null }: ExpectedError): void {
  expect({ status: received.status, body: received.json }).toEqual({
    status,
    body: { error: { message: expect.any(String) as string, type: ERROR_CODES[code].type, param, code } },
  });
  const { headers } = received;
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-should-retry']).toBe(String(ERROR_CODES[code].retryable));
  expect(headers['x-service-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(headers['x-request-id']).toBe(headers['x-service-request-id']);
}

import type { IncomingHttpHeaders } from 'node:http';
import { readPrices } from '@farebox/catalog';
import { verifyLedger } from '@farebox/ledger';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { ask, createAgent, type Attempt, type ChatRequest, type ModelId, type Told } from './chat-client';
import type { Customer, BreakableService } from './breakable-service';
import { audit } from '../src/audit/audit';
import { readBooks, type Books } from '../src/audit/evidence';
import { flushCommits } from './outage-database';
import { waitUntil } from './whole-service';
import { countChargesLeft } from './charges-queue';
import type { RedisServer } from '@farebox/local-services';
import type { FaultProxy } from '@farebox/testing';

/** A line of a process's log. */
export interface LogLine {
  process: string;
  event: string;
  request_id?: string;
  hold_id?: string;
  [field: string]: unknown;
}

/** The log lines of all processes, over all of their starts. */
export interface ServiceLog {
  add(process: string, line: string): void;
  /** The lines of an event, oldest first. */
  of(event: string): LogLine[];
}

/** The built service with a PostgreSQL and a Redis that are taken from it, and all that was asked of it. */
export interface OutageHarness extends BreakableService {
  redis: RedisServer;
  log: ServiceLog;
  requests: SentRequests;
  /** The way of each gateway to the database, where the harness has them. */
  ways: readonly FaultProxy[];
  customers: Customer[];
  /** Customers of their own: whom nobody knows yet, and whose requests have not been counted. */
  addCustomers(count: number): Promise<Customer[]>;
  /** Brings back whatever is away or held up: what follows a test that has failed must not wait for it. */
  heal(): Promise<void>;
}

const REQUESTS = 100;
const CUSTOMERS = 10;
/** A stream has some 20 to 60 of them. */
const MAX_TOKENS = 60;
/** The shortest is longer than a busy machine takes to begin all of them. */
const PAUSES: readonly ModelId[] = ['pause-10000', 'pause-16000', 'pause-24000'];
/** After all of them run, and long before any has ended. */
const HANG_UP_MS = 1_500;

/** How long they run: streams by their tokens, others by the pauses of their upstreams. */
export interface Lengths {
  maxTokens?: number;
  pauses?: readonly ModelId[];
}

/** Sends a hundred requests of all kinds at once, and answers when all of them are held for good and run. */
export async function runHundredRequests(
  harness: OutageHarness,
  { maxTokens = MAX_TOKENS, pauses = PAUSES }: Lengths = {},
): Promise<SentRequest[]> {
  const customers = await harness.addCustomers(CUSTOMERS);
  const called = harness.upstreamCalls.size;
  let begin = (): void => undefined;
  const since = new Promise<void>((resolve) => (begin = resolve));
  const sent = Array.from({ length: REQUESTS }, (_, number) => {
    const streamed = number % 2 === 0;
    const customer = customers[number % CUSTOMERS];
    const leaves = number % 10 >= 8;
    return harness.requests.send({
      ...{ streamed, gateway: Math.floor(number / 2) % harness.gateways.length },
      ...(customer === undefined ? {} : { customer }),
      ...(streamed
        ? { model: 'paced', maxTokens }
        : { model: pauses[number % pauses.length] ?? 'pause-10000' }),
      ...(leaves ? { hangUp: { afterMs: HANG_UP_MS, since } } : {}),
      ...(!leaves && number % 3 === 0 ? { idempotencyKey: `key ${String(number)}` } : {}),
    });
  });
  await expectEventually('all of them are held', async () => (await countHolds(harness)) === REQUESTS);
  await expectEventually('all of them run', () => harness.upstreamCalls.size === called + REQUESTS);
  // A crash takes the holds that are not on the disk.
  await flushCommits(harness.database.pool);
  begin();
  return sent;
}

/** How they ended, and how often each way. */
export function countEnds(sent: readonly SentRequest[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { attempt } of sent) {
    const end = endOf(attempt.told);
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

/** Whether there is an answer in one piece and a stream that ended like this. */
export function bothEnded(sent: readonly SentRequest[], end: string): boolean {
  return [true, false].every((streamed) =>
    sent.some(({ attempt }) => attempt.request.streamed === streamed && endOf(attempt.told) === end),
  );
}

function endOf(told: Told): string {
  return 'code' in told ? told.code : told.kind;
}

/** A request under way. */
export interface SentRequest {
  /** Says `silent` until it has ended. */
  attempt: Attempt;
  /** Once its headers have come. */
  headers: IncomingHttpHeaders | undefined;
  ended: Promise<Attempt['told']>;
}

export interface Sending extends Partial<ChatRequest> {
  /** By its number. Default: the first one. */
  gateway?: number;
  /** Default: the first one. */
  customer?: Customer;
}

/** All requests that a test has sent, so that each of them can be accounted for. */
export interface SentRequests {
  readonly all: readonly SentRequest[];
  /** Sends a request. One that has a name already is that request once more. Default: an answer in one piece, at once. */
  send(sending: Sending): SentRequest;
  close(): Promise<void>;
}

interface Target {
  gateways: readonly { url: string }[];
  customers: readonly Customer[];
}

export function createSentRequests({ gateways, customers }: Target): SentRequests {
  const agent = createAgent();
  const all: SentRequest[] = [];
  return {
    all,
    send({ gateway = 0, customer = customers[0], ...what }) {
      const requestId = `request-${String(all.length)}`;
      const request: ChatRequest = {
        ...{ name: requestId, model: 'at-once', streamed: false, wantsUsage: true },
        ...{ idempotencyKey: undefined, hangUp: undefined },
        ...what,
      };
      const attempt: Attempt = {
        ...{ requestId, request, gateway, startedAtMs: Date.now(), endedAtMs: Infinity },
        told: { kind: 'silent' },
      };
      const asking = {
        ...{ gatewayUrl: gateways[gateway]?.url ?? '', apiKey: customer?.apiKey ?? '', requestId, request },
        mayHangUp: true,
        onHeaders(headers: IncomingHttpHeaders) {
          sent.headers = headers;
        },
      };
      const sent: SentRequest = {
        attempt,
        headers: undefined,
        ended: ask(agent, asking).then((told) => {
          attempt.endedAtMs = Date.now();
          attempt.told = told;
          return told;
        }),
      };
      all.push(sent);
      return sent;
    },
    close: () => agent.destroy(),
  };
}

/** Longer than a lease and the sweep after it, and than the pauses of a job that failed a few times. */
const REST_BOUND_MS = 90_000;

/**
 * Waits until everything has come to rest: no request runs, nothing is held, and no failed charge waits. Then compares
 * what every client was told since the harness was started with the books, and the books with themselves.
 */
export async function expectAllAccountedFor(harness: OutageHarness): Promise<Books> {
  const { database, requests, customers, gateways, upstreamCalls } = harness;
  await Promise.all(requests.all.map(({ ended }) => ended));
  await expectEventually('nothing is held', async () => (await countHolds(harness)) === 0);
  await expectEventually('no charge waits', async () => (await countChargesLeft(harness.redis.url)) === 0);

  const books = await readBooks(database.pool);
  const findings = audit({
    attempts: requests.all.map(({ attempt }) => attempt),
    unanswered: [],
    upstreamCalls,
    books,
    paidInNano: customers.reduce((sum, customer) => sum + customer.openedWithNano, 0n),
    disturbances: gateways.map((gateway) => gateway.disturbances),
    databaseDisturbances: database.disturbances,
    resolvedWithinMs: REST_BOUND_MS,
    countTokens: (text) => countTokens(text),
  });
  expect(findings).toEqual([]);
  expect((await verifyLedger(database.pool, { readPrices })).differences).toEqual([]);
  return books;
}

export async function countHolds({ database }: Pick<OutageHarness, 'database'>): Promise<number> {
  return (await database.pool.query('SELECT 1 FROM hold')).rowCount ?? 0;
}

/** Waits for a state, for as long as a busy machine may need. */
export async function expectEventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  expect([what, await waitUntil(isSo, REST_BOUND_MS)]).toEqual([what, true]);
}

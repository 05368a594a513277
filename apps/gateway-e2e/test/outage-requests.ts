import type { IncomingHttpHeaders } from 'node:http';
import { readPrices } from '@farebox/catalog';
import { verifyLedger } from '@farebox/ledger';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import {
  ask,
  createAgent,
  type Attempt,
  type ChatRequest,
  type ModelId,
  type ClientResult,
} from './chat-client';
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

/** The built service with a PostgreSQL and a Redis that tests can stop, and all requests sent to it. */
export interface OutageHarness extends BreakableService {
  redis: RedisServer;
  log: ServiceLog;
  requests: SentRequests;
  /** Each gateway's route to the database, if the harness has routes. */
  ways: readonly FaultProxy[];
  customers: Customer[];
  /** New customers, unknown to the gateways and without counted requests. */
  addCustomers(count: number): Promise<Customer[]>;
  /** Ends every fault, so that the test after a failed one need not wait. */
  heal(): Promise<void>;
}

const REQUESTS = 100;
const CUSTOMERS = 10;
/** A stream has about 20 to 60 tokens. */
const MAX_TOKENS = 60;
/** Even the shortest is longer than a busy machine takes to start all of them. */
const PAUSES: readonly ModelId[] = ['pause-10000', 'pause-16000', 'pause-24000'];
/** After all of them run, and long before any has ended. */
const HANG_UP_MS = 1_500;

/** How long they run: streams by their tokens, others by the pauses of their upstreams. */
export interface Lengths {
  maxTokens?: number;
  pauses?: readonly ModelId[];
}

/** Sends a hundred requests of all kinds at once, and resolves when all hold durably and run. */
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
  // A crash loses the holds that are not on the disk.
  await flushCommits(harness.database.pool);
  begin();
  return sent;
}

/** The number of requests for each kind of end. */
export function countEnds(sent: readonly SentRequest[]): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { attempt } of sent) {
    const end = endOf(attempt.result);
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

/** Whether both a non-streamed answer and a stream ended like this. */
export function bothEnded(sent: readonly SentRequest[], end: string): boolean {
  return [true, false].every((streamed) =>
    sent.some(({ attempt }) => attempt.request.streamed === streamed && endOf(attempt.result) === end),
  );
}

function endOf(result: ClientResult): string {
  return 'code' in result ? result.code : result.kind;
}

/** A running request. */
export interface SentRequest {
  /** `silent` until it has ended. */
  attempt: Attempt;
  /** Set when its headers have arrived. */
  headers: IncomingHttpHeaders | undefined;
  ended: Promise<Attempt['result']>;
}

export interface Sending extends Partial<ChatRequest> {
  /** By its number. Default: the first one. */
  gateway?: number;
  /** Default: the first one. */
  customer?: Customer;
}

/** All requests sent by a test, so that each can be accounted for. */
export interface SentRequests {
  readonly all: readonly SentRequest[];
  /** Sends a request; one with a known name is a repetition. Default: a non-streamed answer, at once. */
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
        result: { kind: 'silent' },
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
        ended: ask(agent, asking).then((result) => {
          attempt.endedAtMs = Date.now();
          attempt.result = result;
          return result;
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
 * Waits until nothing is pending: no running request, no hold, no failed charge. Then compares the results of
 * every client since the start of the harness with the books, and checks the books themselves.
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

/** Waits for a state, as long as a busy machine may need. */
export async function expectEventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  expect([what, await waitUntil(isSo, REST_BOUND_MS)]).toEqual([what, true]);
}

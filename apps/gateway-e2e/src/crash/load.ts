import { setTimeout as sleep } from 'node:timers/promises';
import { topUp } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import type pg from 'pg';
import type { Unanswered } from '../audit/evidence';
import {
  ask,
  createAgent,
  isBillingError,
  isReplay,
  type Attempt,
  type ChatRequest,
  type ModelId,
  type ClientResult,
} from '../../test/chat-client';
import { createRandom, type Random } from '../random';

/** The service that the clients use. */
export interface Target {
  gateways: readonly { url: string; isServing: boolean }[];
  /** Each with an API key. */
  customers: readonly { apiKey: string }[];
}

export interface LoadOptions {
  seed: string;
  clients: number;
  /** How long after the end of the load a client still tries to get answers for its Idempotency-Keys. */
  patienceMs: number;
  /** Pause of a client between its requests. Default: none. */
  pauseMs?: number;
}

export interface Load {
  attempts: readonly Attempt[];
  /** Whether a gateway has answered a request that was sent to it after a time. */
  hasServedSince(gateway: number, sinceMs: number): boolean;
  /** Sends nothing new, and waits until every request has ended. Returns the unanswered keys. */
  stop(): Promise<Unanswered[]>;
}

/** A client continues with its next request if an Idempotency-Key takes longer than this, */
const NEXT_AFTER_MS = 1_000;
/** and retries at most this many on the side. */
const MAX_ASIDE = 8;
const PAUSE_AFTER_REFUSAL_MS = 50;
/** Most requests use a gateway that serves; some find one that does not. */
const SHARE_ANYWHERE = 0.05;

/** Starts clients that send one request after the other until they are stopped. */
export function startLoad(target: Target, { seed, clients, patienceMs, pauseMs }: LoadOptions): Load {
  const attempts: Attempt[] = [];
  const unanswered: Unanswered[] = [];
  const failures: unknown[] = [];
  const servedAtMs: number[] = [];
  const agent = createAgent();
  let stoppedAtMs: number | undefined;

  async function send(random: Random, request: PlannedRequest, mayHangUp: boolean): Promise<ClientResult> {
    const gateway = chooseGateway(target, random);
    const requestId = `${request.name}.${String(attempts.length)}`;
    const startedAtMs = Date.now();
    const result: ClientResult = { kind: 'silent' };
    const attempt: Attempt = { requestId, request, gateway, startedAtMs, endedAtMs: Infinity, result };
    attempts.push(attempt);
    const gatewayUrl = target.gateways[gateway]?.url ?? '';
    const apiKey = target.customers[request.customer]?.apiKey ?? '';
    attempt.result = await ask(agent, { gatewayUrl, apiKey, requestId, request, mayHangUp });
    attempt.endedAtMs = Date.now();
    if (attempt.result.kind === 'answered')
      servedAtMs[gateway] = Math.max(servedAtMs[gateway] ?? 0, startedAtMs);
    else if (attempt.result.kind !== 'hung_up') await sleep(PAUSE_AFTER_REFUSAL_MS);
    return attempt.result;
  }

  async function runClient(number: number): Promise<void> {
    const random = createRandom(`${seed}/client ${String(number)}`);
    const customer = number % target.customers.length;
    const carrier = {
      random,
      send: (request: PlannedRequest, mayHangUp: boolean) => send(random, request, mayHangUp),
      now: Date.now,
      givesUpAtMs: () => (stoppedAtMs ?? Infinity) + patienceMs,
    };
    const underWay = new Set<Promise<void>>();
    for (let count = 1; stoppedAtMs === undefined; count++) {
      const request = planRequest(random, `client-${String(number)}-request-${String(count)}`, customer);
      const carried = carryOut(carrier, request)
        .then((left) => {
          if (left) unanswered.push(left);
        })
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => underWay.delete(carried));
      underWay.add(carried);
      await (underWay.size < MAX_ASIDE ? Promise.race([carried, sleep(NEXT_AFTER_MS)]) : carried);
      if (pauseMs !== undefined) await sleep(pauseMs);
    }
    await Promise.all(underWay);
  }

  const running = Promise.all(Array.from({ length: clients }, (_, number) => runClient(number)));
  return {
    attempts,
    hasServedSince: (gateway, sinceMs) => (servedAtMs[gateway] ?? 0) > sinceMs,
    async stop() {
      stoppedAtMs ??= Date.now();
      await running;
      await agent.destroy();
      if (failures.length > 0) throw failures[0];
      return unanswered;
    },
  };
}

function chooseGateway({ gateways }: Target, random: Random): number {
  const serving = gateways.flatMap(({ isServing }, number) => (isServing ? [number] : []));
  const [first, ...others] = serving;
  if (first === undefined || random.chance(SHARE_ANYWHERE)) return random.between(0, gateways.length - 1);
  return random.pick([first, ...others]);
}

/** A client's request: sent once, or under its Idempotency-Key until it is answered. */
export interface PlannedRequest extends ChatRequest {
  customer: number;
  /** Number of simultaneous sends: more than one only under an Idempotency-Key. */
  copies: number;
}

const USUAL: readonly [ModelId, ...ModelId[]] = [
  'at-once',
  'pause-50',
  'pause-150',
  'pause-300',
  'paced',
  'paced',
];
const LONGEST_PATIENCE_MS = 350;

/** Chooses a client's next request. */
export function planRequest(random: Random, name: string, customer: number): PlannedRequest {
  const model = random.chance(0.1) ? random.pick<ModelId>(['tenfold', 'breaks']) : random.pick(USUAL);
  const isKeyed = random.chance(0.3);
  // A non-streamed answer that breaks off is never delivered, however often it is requested.
  const streamed = model === 'paced' || (model === 'breaks' && isKeyed) || random.chance(0.4);
  return {
    name,
    model,
    streamed,
    wantsUsage: random.chance(0.9),
    customer,
    idempotencyKey: isKeyed ? `key of ${name}` : undefined,
    copies: isKeyed && random.chance(0.2) ? random.between(2, 4) : 1,
    hangUp: random.chance(0.1) ? planHangUp(random, streamed) : undefined,
  };
}

function planHangUp(random: Random, streamed: boolean): PlannedRequest['hangUp'] {
  if (streamed && random.chance(0.5)) return 'at_first_text';
  return { afterMs: random.between(1, LONGEST_PATIENCE_MS) };
}

/** How a client sends its planned requests. */
export interface Carrier {
  random: Random;
  /** Sends it again, to any gateway. */
  send: (request: PlannedRequest, mayHangUp: boolean) => Promise<ClientResult>;
  now: () => number;
  /** When a client abandons an unanswered Idempotency-Key; never under load. */
  givesUpAtMs: () => number;
}

const RETRY_PAUSE_MS = { least: 100, most: 500 };
/** After this many of them a client accepts that the answer is withheld. */
const MAX_BILLING_ERRORS = 3;

/**
 * Sends a request once, or under its Idempotency-Key until it is answered, and then sometimes again. Returns
 * an unanswered key, if any.
 */
export async function carryOut(carrier: Carrier, request: PlannedRequest): Promise<Unanswered | undefined> {
  const { random, send, now, givesUpAtMs } = carrier;
  const result = await Promise.all(Array.from({ length: request.copies }, () => send(request, true)));
  if (request.idempotencyKey === undefined) return undefined;

  let lastResult = result.find(isFinal) ?? result[0];
  let billingErrors = 0;
  while (!lastResult || !isFinal(lastResult)) {
    if (lastResult && isBillingError(lastResult) && ++billingErrors === MAX_BILLING_ERRORS) return undefined;
    if (lastResult && now() > givesUpAtMs()) return { key: request.idempotencyKey, lastResult };
    await sleep(random.between(RETRY_PAUSE_MS.least, RETRY_PAUSE_MS.most));
    lastResult = await send(request, false);
  }
  if (random.chance(0.5)) await send(request, false);
  return undefined;
}

/** Whether a repetition would get the same. */
function isFinal(result: ClientResult): boolean {
  return result.kind === 'answered' || (isReplay(result) && !isBillingError(result));
}

export interface TopUps {
  /** Returns the total credit. Resolves when the last one has been answered. */
  stop(): Promise<bigint>;
}

const PAUSE_MS = { least: 100, most: 500 };
const TOP_UP_RETRY_PAUSE_MS = 200;
const MAX_TRIES = 150;
const LARGEST_NANO = 500_000;

/** Credits an account repeatedly, each time under a reference that is retried until it is answered. */
export function startTopUps(pool: pg.Pool, accountId: string, random: Random): TopUps {
  let isStopped = false;
  let creditedNano = 0n;

  async function run(): Promise<void> {
    for (let count = 1; !isStopped; count++) {
      await sleep(random.between(PAUSE_MS.least, PAUSE_MS.most));
      const amountNano = toNanoUsd(BigInt(random.between(1, LARGEST_NANO)));
      const credit = { accountId, amountNano, method: 'manual', reference: `crash-${String(count)}` };
      await untilAnswered(() => topUp(pool, credit));
      creditedNano += amountNano;
    }
  }

  const running = run();
  // The failure is reported at the end.
  running.catch(() => undefined);
  return {
    async stop() {
      isStopped = true;
      await running;
      return creditedNano;
    },
  };
}

/**
 * After a lost connection it is unknown whether the account was credited; the reference makes a retry safe.
 */
async function untilAnswered(credit: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await credit();
      return;
    } catch (error) {
      if (tries === MAX_TRIES) throw error;
      await sleep(TOP_UP_RETRY_PAUSE_MS);
    }
  }
}

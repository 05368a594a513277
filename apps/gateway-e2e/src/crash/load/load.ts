import { setTimeout as sleep } from 'node:timers/promises';
import type { Unanswered } from '../../audit/evidence';
import { ask, createAgent } from '../../clients/ask';
import type { Attempt, Told } from '../../clients/attempt';
import { createRandom, type Random } from '../../random';
import { carryOut } from './carry-out';
import { planRequest, type PlannedRequest } from './planned-request';

/** What the clients can send to. */
export interface Target {
  gateways: readonly { url: string; isServing: boolean }[];
  /** Each with an API key. */
  customers: readonly { apiKey: string }[];
}

export interface LoadOptions {
  seed: string;
  clients: number;
  /** How long after the end of the load a client still tries to have its Idempotency-Keys answered. */
  patienceMs: number;
}

export interface Load {
  attempts: readonly Attempt[];
  /** Whether a gateway has answered a request that was sent to it after a time. */
  hasServedSince(gateway: number, sinceMs: number): boolean;
  /** Sends nothing new, and waits until all that was asked for has its end. Answers with what has none. */
  stop(): Promise<Unanswered[]>;
}

/** A client goes on with its next request when an Idempotency-Key takes longer than this, */
const NEXT_AFTER_MS = 1_000;
/** and has at most so many that are retried meanwhile. */
const MAX_ASIDE = 8;
const PAUSE_AFTER_REFUSAL_MS = 50;
/** Most requests go where they are served; some find out that nobody does. */
const SHARE_ANYWHERE = 0.05;

/** Clients that ask, one request after the other, until they are stopped. */
export function startLoad(target: Target, { seed, clients, patienceMs }: LoadOptions): Load {
  const attempts: Attempt[] = [];
  const unanswered: Unanswered[] = [];
  const failures: unknown[] = [];
  const servedAtMs: number[] = [];
  const agent = createAgent();
  let stoppedAtMs: number | undefined;

  async function send(random: Random, request: PlannedRequest, mayHangUp: boolean): Promise<Told> {
    const gateway = chooseGateway(target, random);
    const requestId = `${request.name}.${String(attempts.length)}`;
    const startedAtMs = Date.now();
    const told: Told = { kind: 'silent' };
    const attempt: Attempt = { requestId, request, gateway, startedAtMs, endedAtMs: Infinity, told };
    attempts.push(attempt);
    const gatewayUrl = target.gateways[gateway]?.url ?? '';
    const apiKey = target.customers[request.customer]?.apiKey ?? '';
    attempt.told = await ask(agent, { gatewayUrl, apiKey, requestId, request, mayHangUp });
    attempt.endedAtMs = Date.now();
    if (attempt.told.kind === 'answered')
      servedAtMs[gateway] = Math.max(servedAtMs[gateway] ?? 0, startedAtMs);
    else if (attempt.told.kind !== 'hung_up') await sleep(PAUSE_AFTER_REFUSAL_MS);
    return attempt.told;
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

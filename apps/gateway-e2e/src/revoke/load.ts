import { request as send } from 'undici';
import { createRandom, type Random } from '../random';
import type { Customer } from './harness';
import { ask, createAgent, type ModelId, type ClientResult } from '../../test/chat-client';
import type { Moment, NextMoment } from './history';

/** The model that a policy sometimes bars. The others stay allowed. */
export const BARRED_MODEL: ModelId = 'at-once';

/** A non-streamed completion, a stream, or the list of models. */
export type Asked = { kind: 'whole' | 'stream'; model: ModelId } | { kind: 'models' };

/** One request, and its client's result. */
export interface Attempt {
  /** The client's own id, which is in every row that the service writes for it. */
  requestId: string;
  asked: Asked;
  /** By their numbers. */
  customer: number;
  secret: number;
  gateway: number;
  begunAt: Moment;
  endedAt: Moment;
  outcome: string;
}

/** Served in full: a stream up to its [DONE]. */
export const SERVED = 'served';
/** A list of models without the barred one. */
export const LISTED_WITHOUT = `served without ${BARRED_MODEL}`;
/** It was never answered. */
export const NOT_ENDED = 'not ended';

export interface Load {
  /** Sends nothing new, and waits for running requests. Throws if a client could not continue. */
  stop(): Promise<void>;
}

const ASKED: readonly [Asked, ...Asked[]] = [
  { kind: 'whole', model: BARRED_MODEL },
  { kind: 'whole', model: BARRED_MODEL },
  { kind: 'whole', model: 'pause-50' },
  { kind: 'stream', model: BARRED_MODEL },
  { kind: 'stream', model: 'paced' },
  { kind: 'models' },
];
/** Most requests carry the newest secret, the others an earlier one. */
const SHARE_OLD = 0.3;
const OLDEST_BEFORE_NEWEST = 3;

export interface LoadOptions {
  sender: Sender;
  customers: readonly Customer[];
  gateways: number;
  clients: number;
  seed: string;
}

/**
 * Starts clients that send requests one after the other, to any gateway with any customer's secrets, whatever
 * the result.
 */
export function startLoad({ sender, customers, gateways, clients, seed }: LoadOptions): Load {
  let isStopped = false;
  const runClient = async (number: number): Promise<void> => {
    const random = createRandom(`${seed}/client ${String(number)}`);
    while (!isStopped) {
      const customer = random.between(0, customers.length - 1);
      const secret = chooseSecret(random, customers[customer]?.secrets.length ?? 0);
      await sender.send({
        ...{ customer, secret, gateway: random.between(0, gateways - 1) },
        asked: random.pick(ASKED),
      });
    }
  };
  const running = Promise.allSettled(Array.from({ length: clients }, (_, number) => runClient(number)));
  return {
    async stop() {
      isStopped = true;
      const failed = (await running).find((client) => client.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}

function chooseSecret(random: Random, count: number): number {
  const newest = count - 1;
  return random.chance(SHARE_OLD)
    ? random.between(Math.max(0, newest - OLDEST_BEFORE_NEWEST), newest)
    : newest;
}

/** Sends requests to gateways, and records the results. */
export interface Sender {
  attempts: readonly Attempt[];
  /** Sends one request and waits for its end. */
  send(what: Sending): Promise<Attempt>;
  close(): Promise<void>;
}

/** Customer, secret and gateway by their numbers. */
export interface Sending {
  customer: number;
  secret: number;
  gateway: number;
  asked: Asked;
}

export interface SenderOptions {
  customers: readonly Customer[];
  gatewayUrls: readonly string[];
  nextMoment: NextMoment;
}

export function createSender({ customers, gatewayUrls, nextMoment }: SenderOptions): Sender {
  const agent = createAgent();
  const attempts: Attempt[] = [];
  return {
    attempts,
    async send(what) {
      const requestId = `request-${String(attempts.length)}`;
      const apiKey = customers[what.customer]?.secrets[what.secret] ?? '';
      const gatewayUrl = gatewayUrls[what.gateway] ?? '';
      const attempt = { ...what, requestId, begunAt: nextMoment(), endedAt: Infinity, outcome: NOT_ENDED };
      attempts.push(attempt);
      const { asked } = what;
      attempt.outcome =
        asked.kind === 'models'
          ? await listModels(agent, { gatewayUrl, apiKey, requestId })
          : outcomeOf(
              await ask(agent, {
                ...{ gatewayUrl, apiKey, requestId, mayHangUp: false },
                request: {
                  ...{ name: requestId, model: asked.model, streamed: asked.kind === 'stream' },
                  ...{ wantsUsage: false, idempotencyKey: undefined, hangUp: undefined },
                },
              }),
            );
      attempt.endedAt = nextMoment();
      return attempt;
    },
    close: () => agent.destroy(),
  };
}

type Agent = ReturnType<typeof createAgent>;
type ModelsAnswer = { data: { id: string }[] } | { error: { code: string } };

async function listModels(
  dispatcher: Agent,
  { gatewayUrl, apiKey, requestId }: { gatewayUrl: string; apiKey: string; requestId: string },
): Promise<string> {
  const { statusCode, body } = await send(`${gatewayUrl}/v1/models`, {
    dispatcher,
    headers: { authorization: `Bearer ${apiKey}`, 'x-request-id': requestId },
  });
  const answer = (await body.json()) as ModelsAnswer;
  if ('error' in answer) return `${String(statusCode)} ${answer.error.code}`;
  return answer.data.some(({ id }) => id === BARRED_MODEL) ? SERVED : LISTED_WITHOUT;
}

function outcomeOf(result: ClientResult): string {
  switch (result.kind) {
    case 'answered':
      return SERVED;
    case 'refused':
      return `${String(result.status)} ${result.code}`;
    case 'failed_midway':
      return `failed midway with ${result.code}`;
    case 'cut':
    case 'hung_up':
    case 'not_connected':
    case 'silent':
      return result.kind.replace('_', ' ');
  }
}

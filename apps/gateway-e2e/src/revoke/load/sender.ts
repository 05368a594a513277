import { request as send } from 'undici';
import { ask, createAgent } from '../../clients/ask';
import type { Told } from '../../clients/attempt';
import type { NextMoment } from '../changes/history';
import type { Customer } from '../stand/customers';
import { BARRED_MODEL, LISTED_WITHOUT, NOT_ENDED, SERVED, type Asked, type Attempt } from './attempt';

/** Sends requests to gateways, and keeps what came of each. */
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

function outcomeOf(told: Told): string {
  switch (told.kind) {
    case 'answered':
      return SERVED;
    case 'refused':
      return `${String(told.status)} ${told.code}`;
    case 'failed_midway':
      return `failed midway with ${told.code}`;
    case 'cut':
    case 'hung_up':
    case 'not_connected':
    case 'silent':
      return told.kind.replace('_', ' ');
  }
}

import {
  type Behaviour,
  behaviourOf,
  CANARY,
  EMBEDDING_MODEL,
  faultOf,
  type SecondChances,
  SIMULATED_MODELS,
} from './behaviours';
import { type ChatRequest, readChatRequest } from './chat-request';
import type { Exchange } from './exchange';
import { composeAnswer, CREATED, refuse, reportedUsage, tokensTooMany, type Refusal } from './response';
import { sendEndlessAnswer, streamAnswer } from './streamed-response';
import { sendCompletion, sendBrokenCompletion } from './whole-response';

export interface AnsweringSettings {
  tokensPerSecond: number;
  secondChances: SecondChances;
  promptCache: Set<string>;
}

export const UNAVAILABLE = 503;

type Answering = Extract<Behaviour, { kind: 'answers' }>;

async function answer(
  exchange: Exchange,
  request: ChatRequest,
  behaviour: Answering,
  settings: AnsweringSettings,
): Promise<void> {
  if (behaviour.recovers && !settings.secondChances.isSecond(request)) {
    refuseWithCanaries(exchange, UNAVAILABLE);
    return;
  }
  const split = behaviour.framing === 'split';
  await exchange.wait(behaviour.delayMs ?? 0);
  const composed = await composeAnswer(request, {
    toLimit: behaviour.length === 'limit',
    beyondAscii: split,
    reasons: behaviour.reasons === true,
    runs: behaviour.runs === true,
  });
  const tooMany = tokensTooMany(composed, behaviour);
  if (tooMany) {
    const limit = `This model's maximum context length is ${String(tooMany.most)} tokens.`;
    const message = `${limit} However, your messages resulted in ${String(tooMany.tokens)} tokens. Please reduce the length of the messages. ${CANARY.host}`;
    refuse(exchange, { status: 400, message, code: 'context_length_exceeded', param: 'messages' });
    return;
  }
  const usage = reportedUsage(composed.usage, behaviour.usage, request.tools !== undefined);
  const fault = faultOf(behaviour, composed.usage.completion_tokens);

  if (request.stream) {
    await streamAnswer(exchange, composed, {
      usage: request.stream_options?.include_usage ? usage : undefined,
      tokensPerSecond: behaviour.paced && settings.tokensPerSecond,
      split,
      fault,
    });
  } else if (fault) await sendBrokenCompletion(exchange, fault, composed);
  else sendCompletion(exchange, composed, usage);
}

export function sendHtml(exchange: Exchange): void {
  exchange.begin(200, { 'content-type': 'text/html' });
  exchange.end(`<!doctype html><title>${CANARY.host}</title><p>${CANARY.owner}: be right back.</p>`);
}

async function behave(
  exchange: Exchange,
  request: ChatRequest,
  behaviour: Behaviour,
  settings: AnsweringSettings,
): Promise<void> {
  switch (behaviour.kind) {
    case 'answers':
      await answer(exchange, request, behaviour, settings);
      return;
    case 'refuses':
      refuseWithCanaries(exchange, behaviour.status, behaviour.restSeconds);
      return;
    case 'closes':
      await exchange.destroy();
      return;
    case 'html':
      sendHtml(exchange);
      return;
    case 'endless':
      await sendEndlessAnswer(exchange, request);
      return;
  }
}

/** `POST /v1/chat/completions`: the model's name selects its behaviour. */
export async function handleChatCompletion(exchange: Exchange, settings: AnsweringSettings): Promise<void> {
  const read = readChatRequest(exchange.received.body);
  if ('problem' in read) {
    refuse(exchange, { status: 400, ...read.problem });
    return;
  }
  const behaviour = behaviourOf(read.request.model);
  if (!behaviour) {
    const message = `The model '${read.request.model}' does not exist on ${CANARY.host}.`;
    refuse(exchange, { status: 404, message, code: 'model_not_found', param: 'model' });
    return;
  }
  await behave(exchange, read.request, behaviour, settings);
}

/** `GET /v1/models`. */
export function handleModels(exchange: Exchange): void {
  const data = [...SIMULATED_MODELS, EMBEDDING_MODEL].map((id) => ({
    id,
    object: 'model',
    created: CREATED,
    owned_by: CANARY.owner,
  }));
  exchange.sendJson(200, { object: 'list', data });
}

/** A refusal in which every text would reveal the upstream. 400 names a field of the request, 422 one of its own. */
export function refuseWithCanaries(exchange: Exchange, status: number, restSeconds?: number): void {
  const params: Partial<Record<number, string>> = { 400: 'messages', 422: `${CANARY.errorName}_engine` };
  const refusal: Refusal = {
    status,
    message: `${CANARY.host} refuses ${CANARY.secretKey}-9 of ${CANARY.organization} (${String(status)}).`,
    type: `${CANARY.errorName}_error`,
    code: `${CANARY.errorName}_code`,
    param: params[status] ?? null,
  };
  refuse(exchange, refusal, restSeconds === undefined ? {} : { 'retry-after': String(restSeconds) });
}

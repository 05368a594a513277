import { CANARY, type Fault, TOKENS_BEFORE_FAULT } from './behaviours';
import type { Content, Piece } from './content';
import type { Exchange } from './exchange';
import { type Answer, CREATED, errorBody, type Usage } from './response';

function toMessage({ pieces, toolCalls }: Content): object {
  const textOf = (wanted: Piece['kind'], call = 0): string =>
    pieces
      .filter((piece) => piece.kind === wanted && piece.call === call)
      .map(({ text }) => text)
      .join('');
  const reasons = textOf('reasoning_content');
  return {
    role: 'assistant',
    content: toolCalls.length === 0 ? textOf('content') : null,
    refusal: null,
    ...(reasons !== '' && { reasoning_content: reasons }),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map(({ id, name }, call) => ({
        id,
        type: 'function',
        function: { name, arguments: textOf('arguments', call) },
      })),
    }),
  };
}

/** The answer as a `chat.completion` object. */
function toCompletion(answer: Answer, usage: Usage | undefined): object {
  return {
    id: answer.id,
    object: 'chat.completion',
    created: CREATED,
    model: answer.model,
    choices: answer.choices.map((content) => ({
      index: content.index,
      message: toMessage(content),
      logprobs: answer.topLogprobs === undefined ? null : logprobsOf(content.pieces, answer.topLogprobs),
      finish_reason: content.finishReason,
    })),
    ...(usage && { usage }),
    service_tier: 'default',
    system_fingerprint: answer.fingerprint,
  };
}

function tokensOf(answer: Answer): number {
  return answer.choices.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The first tokens of each choice, and no reason why they end there. */
function toUnfinishedCompletion(answer: Answer): object {
  const choices = answer.choices.map((content) => ({
    ...content,
    pieces: content.pieces.slice(0, TOKENS_BEFORE_FAULT),
    finishReason: null,
  }));
  return toCompletion({ ...answer, choices }, undefined);
}

/** Half of the declared length. */
async function sendHalf(exchange: Exchange, body: object): Promise<void> {
  const text = JSON.stringify(body);
  exchange.begin(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  await exchange.write(text.slice(0, text.length / 2));
}

/** How an answer in one piece goes wrong. */
export const WHOLE_FAULTS: Record<Fault, (exchange: Exchange, answer: Answer) => Promise<void> | void> = {
  stalls: async (exchange, answer) => {
    await sendHalf(exchange, toCompletion(answer, answer.usage));
    await exchange.stall();
  },
  breaks: async (exchange, answer) => {
    await sendHalf(exchange, toCompletion(answer, answer.usage));
    await exchange.destroy();
  },
  'ends-early': (exchange, answer) => {
    exchange.sendJson(200, toUnfinishedCompletion(answer));
  },
  garbage: (exchange, answer) => {
    exchange.begin(200, { 'content-type': 'application/json' });
    exchange.end(`{"id":"${answer.id}","object":"chat.completion","choices":[{"message":${CANARY.host}`);
  },
  'error-midstream': (exchange) => {
    const message = `The engine on ${CANARY.host} failed.`;
    exchange.sendJson(200, errorBody({ message, type: `${CANARY.errorName}_error`, code: CANARY.errorName }));
  },
};

export function sendCompletion(exchange: Exchange, answer: Answer, usage: Usage | undefined): void {
  exchange.received.tokensSent = tokensOf(answer);
  exchange.sendJson(200, toCompletion(answer, usage));
}

interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[];
}

/** How sure the arithmetic is of what it says: always the same. The alternatives are less likely one by one. */
function tokenLogprob(token: string, rank: number): TokenLogprob {
  return { token, logprob: -0.25 - rank, bytes: [...Buffer.from(token)] };
}

/** The log probabilities of pieces of text, with so many alternatives each. */
export function logprobsOf(pieces: Content['pieces'], alternatives: number): object {
  const content = pieces
    .filter(({ kind }) => kind === 'content')
    .map(({ text }) => ({
      ...tokenLogprob(text, 0),
      top_logprobs: Array.from({ length: alternatives }, (_, rank) =>
        tokenLogprob(rank === 0 ? text : `${text}${String(rank)}`, rank),
      ),
    }));
  return { content, refusal: null };
}

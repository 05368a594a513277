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

/** The response as a `chat.completion` object. */
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

/** The first tokens of each choice, without a finish reason. */
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

/** The deviating texts of a whole response with a fault, for each wire. */
interface BrokenBodies {
  whole: object;
  /** The first tokens, without a stop reason. */
  unfinished: object;
  error: object;
}

/** Sends a whole response with a fault. */
export async function sendBroken(exchange: Exchange, fault: Fault, bodies: BrokenBodies): Promise<void> {
  switch (fault) {
    case 'stalls':
      await sendHalf(exchange, bodies.whole);
      await exchange.stall();
      return;
    case 'breaks':
      await sendHalf(exchange, bodies.whole);
      await exchange.destroy();
      return;
    case 'ends-early':
      exchange.sendJson(200, bodies.unfinished);
      return;
    case 'garbage':
      exchange.begin(200, { 'content-type': 'application/json' });
      exchange.end(`${JSON.stringify(bodies.unfinished).slice(0, -1)},"x":${CANARY.host}`);
      return;
    case 'error-midstream':
      exchange.sendJson(200, bodies.error);
      return;
  }
}

export const ENGINE_FAILED = `The engine on ${CANARY.host} failed.`;

/** A chat response with a fault. */
export function sendBrokenCompletion(exchange: Exchange, fault: Fault, answer: Answer): Promise<void> {
  return sendBroken(exchange, fault, {
    whole: toCompletion(answer, answer.usage),
    unfinished: toUnfinishedCompletion(answer),
    error: errorBody({
      message: ENGINE_FAILED,
      type: `${CANARY.errorName}_error`,
      code: CANARY.errorName,
    }),
  });
}

export function sendCompletion(exchange: Exchange, answer: Answer, usage: Usage | undefined): void {
  exchange.received.tokensSent = tokensOf(answer);
  exchange.sendJson(200, toCompletion(answer, usage));
}

interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[];
}

/** The probability of the calculated output: constant. The alternatives are less likely one by one. */
function tokenLogprob(token: string, rank: number): TokenLogprob {
  return { token, logprob: -0.25 - rank, bytes: [...Buffer.from(token)] };
}

/** The log probabilities of pieces of text, with this many alternatives each. */
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

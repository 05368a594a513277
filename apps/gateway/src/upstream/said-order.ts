import { messagePhase, type ChatCompletion, type Logprobs, type MessagePhase } from '@farebox/api';
import { asFields } from './answer-parts';

/** The beginning of a message: a server of Responses may write several in one answer. */
export interface BegunMessage {
  phase?: MessagePhase;
  /** Text of another message comes before it. */
  follows: boolean;
}

/** Undefined if nothing sets the message apart from the whole answer. */
export function toBegun(phase: unknown, follows: boolean): BegunMessage | undefined {
  if (!messagePhase.validate(phase)) return follows ? { follows } : undefined;
  return { phase, follows };
}

export function asBegun(value: unknown): BegunMessage | undefined {
  const fields = asFields(value);
  return fields && toBegun(fields['phase'], fields['follows'] === true);
}

/** A part of a model's output, as received. */
export interface SaidPart {
  kind: 'thought' | 'text' | 'call';
  /** Characters of a text, or of a thought whose seal does not contain it. */
  length: number;
  /** The server needs nothing back for this thought. */
  isUnsealed?: true;
  /** The text is a message of its own. */
  begins?: BegunMessage;
}

/** Their order in a chat message. */
const RANKS = { thought: 0, text: 1, call: 2 } as const;

/** The order of the parts, if a chat message cannot express it. */
export function unusualOrder(parts: readonly SaidPart[]): readonly SaidPart[] | undefined {
  const isUsual = parts.every(({ kind }, at) => RANKS[kind] >= RANKS[parts[at - 1]?.kind ?? 'thought']);
  return isUsual && parts.every(({ begins }) => begins === undefined) ? undefined : parts;
}

type AnsweredChoice = ChatCompletion['choices'][number];
type Message = AnsweredChoice['message'];

/** A part of an answer, with the log probabilities of its text. */
export interface SaidMessage {
  message: Message;
  logprobs: AnsweredChoice['logprobs'];
  begins?: BegunMessage;
}

/**
 * Splits a message into the parts of its original order, each as a message: a single one if that was the
 * usual order. A server that signs its thoughts refuses them in another order.
 */
export function partsInOrder({
  message,
  logprobs,
  order,
}: AnsweredChoice & { order?: readonly SaidPart[] }): SaidMessage[] {
  const whole = [{ message, logprobs }];
  if (!order) return whole;
  const { content, reasoning_details: details = [], tool_calls: calls = [], annotations = [] } = message;
  const sealed = order.filter(({ kind, isUnsealed }) => kind === 'thought' && !isUnsealed);
  const calling = order.filter(({ kind }) => kind === 'call');
  // Some were too long to be passed on.
  if (sealed.length !== details.length || calling.length !== calls.length) return whole;
  const thoughts = details.values();
  const called = calls.values();
  const tokens = (logprobs?.content ?? []).values();
  let at = 0;
  let thoughtAt = 0;
  return order.map(({ kind, length, isUnsealed, begins }): SaidMessage => {
    const part: Message = { role: 'assistant', content: null, refusal: null };
    const said: SaidMessage = { message: part, logprobs: null, ...(begins && { begins }) };
    if (kind === 'text') {
      const end = at + length;
      part.content = (content ?? '').slice(at, end);
      const cited = annotations.filter(
        ({ url_citation: { end_index } }) => end_index > at && end_index <= end,
      );
      if (cited.length > 0) part.annotations = cited;
      at = end;
      if (logprobs?.content) said.logprobs = { content: tokensOf(length, tokens), refusal: null };
    } else if (kind === 'thought') {
      const detail = isUnsealed ? undefined : thoughts.next().value;
      if (detail) part.reasoning_details = [detail];
      const text = (message.reasoning_content ?? '').slice(thoughtAt, (thoughtAt += length));
      if (detail?.type === 'reasoning.text') part.reasoning_content = detail.text ?? '';
      else if (text !== '') part.reasoning_content = text;
    } else {
      const call = called.next().value;
      if (call) part.tool_calls = [call];
    }
    return said;
  });
}

type Token = NonNullable<Logprobs['content']>[number];

/** Takes the tokens of the next text. */
function tokensOf(length: number, tokens: Iterator<Token, undefined>): Token[] {
  const taken: Token[] = [];
  for (let left = length; left > 0;) {
    const token = tokens.next().value;
    if (!token) break;
    taken.push(token);
    left -= token.token.length;
  }
  return taken;
}

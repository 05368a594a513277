import { codeOf, findFaults } from '../raw-http/find-faults';
import { streamEndOf } from '../raw-http/find-stream-faults';
import { headerOf, parseAnswers, type ParsedAnswer } from '../raw-http/parse-answers';
import { isClear, piecesOf, type Conversation } from './generate/conversation';
import { permittedSilence } from './silences';

export interface Verdict {
  /** All faults found. */
  faults: string[];
  /** The outcome of the conversation, one entry per answer: `400 invalid_request_error`. */
  outcomes: string[];
}

/** These codes are failures of the service itself: no client can cause them. */
const NEVER = ['internal_error', 'billing_error', 'api_key_not_found', 'api_key_revoked'];

/** Judges everything received in a conversation. Throws `MalformedAnswer` if that is not HTTP. */
export function judge(conversation: Conversation, received: string): Verdict {
  const methods = conversation.requests.map(({ method }) => method);
  const { answers, cutHead } = parseAnswers(received, methods);
  const outcomes = answers.map(outcomeOf);
  const faults = [
    ...answers.flatMap((answer, i) => findFaults(answer, methods[i])),
    ...answers.flatMap((answer) => findBrokenOff(conversation, answer)),
    ...(cutHead !== '' && conversation.ending.kind !== 'leaves' ? [`cut in its headers: ${cutHead}`] : []),
    ...answers
      .filter(({ body }) => NEVER.some((code) => body.includes(`"code":"${code}"`)))
      .map(({ body }) => body),
    ...findMissing(conversation, answers),
  ];
  if (answers.length > 0) return { faults, outcomes };
  const silence = permittedSilence({ text: piecesOf(conversation).join(''), ending: conversation.ending });
  return {
    faults: silence === undefined ? [...faults, 'no answer'] : faults,
    outcomes: [`silence: ${silence ?? ''}`],
  };
}

function outcomeOf(answer: ParsedAnswer): string {
  const type = headerOf(answer, 'content-type') ?? '';
  if (type.startsWith('text/event-stream')) return `${String(answer.status)} stream, ${streamEndOf(answer)}`;
  if (answer.isCut) return `${String(answer.status)} cut`;
  if (answer.status !== 200) return `${String(answer.status)} ${codeOf(answer) ?? 'without a body'}`;
  const isReplayed = headerOf(answer, 'idempotent-replayed') !== undefined;
  const kind = /"object":"([a-z.]+)"/.exec(answer.body)?.[1] ?? 'other';
  return `200 ${kind}${isReplayed ? ' again' : ''}`;
}

/** A stream may break off without an error only if its client leaves or sends something invalid. */
function findBrokenOff(conversation: Conversation, answer: ParsedAnswer): string[] {
  const isStream = headerOf(answer, 'content-type')?.startsWith('text/event-stream') === true;
  if (!isStream || streamEndOf(answer) !== 'without a word') return [];
  const byClient = conversation.ending.kind !== 'listens' || !isClear(conversation);
  return byClient ? [] : ['a stream that broke off without a word'];
}

/** If the requests are unambiguous, each has an answer, up to one that ends the connection. */
function findMissing(conversation: Conversation, answers: readonly ParsedAnswer[]): string[] {
  if (conversation.ending.kind !== 'listens' || !isClear(conversation)) return [];
  const last = answers.at(-1);
  if (last && (headerOf(last, 'connection') === 'close' || last.isCut)) return [];
  const [asked, got] = [conversation.requests.length, answers.length];
  return asked === got ? [] : [`${String(got)} answers to ${String(asked)} requests`];
}

/** The texts of the fast upstream: in a whole response, and in each token of a stream. */
export const WHOLE_TEXT = 'A few words that answer the question.'.repeat(4);
export const TOKEN_TEXT = ' token';

/** Before a path: the whole response comes after a while, so that requests are under way when the upstream fails. */
export const SLOW = '/slow';

/** The pace of a stream of the fast upstream: this many tokens, each a chunk; with 0 ms, all of it is one write. */
export interface Pace {
  chunks: number;
  everyMs: number;
}

const ASKED = /a stream of (\d+) chunks, one every (\d+) ms/;

/** The prompt that requests a stream of this pace from the fast upstream. */
export function askForPace({ chunks, everyMs }: Pace): string {
  return `Give me a stream of ${String(chunks)} chunks, one every ${String(everyMs)} ms.`;
}

/** The pace that a request's body contains, if any. */
export function paceOf(body: string): Pace | undefined {
  const asked = ASKED.exec(body);
  return asked ? { chunks: Number(asked[1]), everyMs: Number(asked[2]) } : undefined;
}

export const DEFAULT_PACE: Pace = { chunks: 50, everyMs: 40 };

/** A whole response of any wire, or an event of a stream. */
interface Answer {
  choices?: { message?: { content?: string }; delta?: { content?: string } }[];
  content?: { text?: string }[];
  output?: { content?: { text?: string }[] }[];
  type?: string;
  delta?: string | { text?: string };
}

export function wholeText(body: string): string | undefined {
  const answer = parse(body);
  const content = answer?.content ?? answer?.output?.flatMap((item) => item.content ?? []);
  return answer?.choices?.[0]?.message?.content ?? content?.map(({ text = '' }) => text).join('');
}

const LAST_EVENTS = ['message_stop', 'response.completed'];

/** Undefined if the stream did not end properly. */
export function streamedText(body: string): string | undefined {
  const events = body.split(/\r?\n\r?\n/).flatMap((event) => /^data: ?(.*)$/m.exec(event)?.[1] ?? []);
  const last = events.at(-1) ?? '';
  if (last !== '[DONE]' && !LAST_EVENTS.includes(parse(last)?.type ?? '')) return undefined;
  return events.map((data) => textOf(parse(data) ?? {})).join('');
}

function textOf({ choices, type, delta }: Answer): string {
  if (typeof delta === 'string') return type === 'response.output_text.delta' ? delta : '';
  return choices?.[0]?.delta?.content ?? delta?.text ?? '';
}

function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

/** The texts of the fast upstream: in a whole response, and in each token of a stream. */
export const WHOLE_TEXT = 'A few words that answer the question.'.repeat(4);
export const TOKEN_TEXT = ' token';

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

interface ChatAnswer {
  choices?: { message?: { content?: string }; delta?: { content?: string } }[];
}

export function wholeText(body: string): string | undefined {
  return parse(body)?.choices?.[0]?.message?.content;
}

/** Undefined if the stream did not end properly. */
export function streamedText(body: string): string | undefined {
  const events = body.split(/\r?\n\r?\n/).flatMap((event) => /^data: ?(.*)$/m.exec(event)?.[1] ?? []);
  if (events.at(-1) !== '[DONE]') return undefined;
  return events.map((data) => parse(data)?.choices?.[0]?.delta?.content ?? '').join('');
}

function parse(text: string): ChatAnswer | undefined {
  try {
    return JSON.parse(text) as ChatAnswer;
  } catch {
    return undefined;
  }
}

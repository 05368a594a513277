/** What the fast upstream says in a whole answer, and in each token of a stream. */
export const WHOLE_TEXT = 'A few words that answer the question.'.repeat(4);
export const TOKEN_TEXT = ' token';

/** How a stream of the fast upstream comes: so many tokens, each a chunk; every 0 ms, all of it is one write. */
export interface Pace {
  chunks: number;
  everyMs: number;
}

const ASKED = /a stream of (\d+) chunks, one every (\d+) ms/;

/** The prompt that asks the fast upstream for a stream of this pace. */
export function askForPace({ chunks, everyMs }: Pace): string {
  return `Give me a stream of ${String(chunks)} chunks, one every ${String(everyMs)} ms.`;
}

/** The pace that a request's body asks for, if it does. */
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

/** Nothing, if the stream did not come to its end. */
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

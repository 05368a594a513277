/** How a stream of the fast upstream comes: so many tokens, each a chunk. */
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

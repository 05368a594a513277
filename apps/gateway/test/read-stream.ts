import { chatCompletionChunk, type ChatCompletionChunk } from '@farebox/api';

/** A streamed answer as a client sees it. */
export interface StreamText {
  /** The data of each event. */
  events: string[];
  chunks: ChatCompletionChunk[];
  text: string;
  /** The connection ended before the answer did. */
  cut: boolean;
}

/** Reads a stream until it ends or is cut off. */
export async function readStream(response: Response): Promise<StreamText> {
  let text = '';
  let cut = false;
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>)
      text += Buffer.from(piece).toString();
  } catch {
    cut = true;
  }
  const events = text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6));
  const chunks = events
    .filter((event) => event.startsWith('{') && !event.includes('"object":"error"'))
    .map((event) => chatCompletionChunk.parse(JSON.parse(event)));
  const content = chunks
    .flatMap((chunk) => chunk.choices.map((choice) => choice.delta.content ?? ''))
    .join('');
  return { events, chunks, text: content, cut };
}

/** The error event of a stream; null if there is none. */
export const errorOf = (events: string[]): unknown =>
  JSON.parse(events.find((event) => event.includes('"object":"error"')) ?? 'null');

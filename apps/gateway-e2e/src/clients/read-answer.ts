import type { Told } from './attempt';

/** The parts of an HTTP answer that are looked at. */
export interface HttpAnswer {
  status: number;
  contentType: string;
  replayed: boolean;
  body: AsyncIterable<Buffer>;
}

interface Failure {
  error: { code: string };
}
interface Completion {
  id: string;
  usage?: { cost: string } | null;
}
interface Chunk extends Completion {
  choices: { delta: { content?: string | null }; finish_reason: string | null }[];
}

/** Reads an answer to its end. `onText` is called at the first text of a stream. Throws where the connection is lost. */
export async function readAnswer(
  { status, contentType, replayed, body }: HttpAnswer,
  stream: StreamSoFar,
  onText: () => void,
): Promise<Told> {
  if (contentType.startsWith('text/event-stream')) {
    stream.replayed = replayed;
    await stream.readAll(body, onText);
    return stream.toTold();
  }
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  const content = Buffer.concat(pieces).toString('utf8');
  if (status !== 200) return { kind: 'refused', status, code: (JSON.parse(content) as Failure).error.code };
  const { id, usage } = JSON.parse(content) as Completion;
  return { kind: 'answered', completionId: id, cost: usage?.cost, content, replayed };
}

/** What has come of a stream. It is looked at also where the rest never comes. */
export class StreamSoFar {
  text = '';
  replayed = false;
  #unread = '';
  #completionId = '';
  #finish = '';
  #cost: string | undefined;
  #isDone = false;
  #errorCode: string | undefined;

  async readAll(body: AsyncIterable<Buffer>, onText: () => void): Promise<void> {
    const decoder = new TextDecoder();
    for await (const piece of body) {
      this.#unread += decoder.decode(piece, { stream: true });
      const events = this.#unread.split('\n\n');
      this.#unread = events.pop() ?? '';
      for (const event of events) if (event.startsWith('data: ')) this.#take(event.slice('data: '.length));
      if (this.text !== '') onText();
    }
  }

  /** Whether nothing more needs to come, however the connection ends. */
  get hasEnded(): boolean {
    return this.#isDone || this.#errorCode !== undefined;
  }

  toTold(): Told {
    const { replayed } = this;
    if (this.#errorCode !== undefined)
      return { kind: 'failed_midway', code: this.#errorCode, text: this.text, replayed };
    if (!this.#isDone) return { kind: 'cut', text: this.text };
    const content = JSON.stringify([this.text, this.#finish]);
    return { kind: 'answered', completionId: this.#completionId, cost: this.#cost, content, replayed };
  }

  #take(data: string): void {
    if (data === '[DONE]') {
      this.#isDone = true;
      return;
    }
    const event = JSON.parse(data) as Chunk | Failure;
    if ('error' in event) {
      this.#errorCode = event.error.code;
      return;
    }
    this.#completionId = event.id;
    this.#cost = event.usage?.cost ?? this.#cost;
    for (const { delta, finish_reason } of event.choices) {
      this.text += delta.content ?? '';
      this.#finish += finish_reason ?? '';
    }
  }
}

import { asFields, asIndex, asString } from './answer-parts';
import { CitedText, detailOf, stopSequenceOf, toChatError, toFinishReason } from './messages-answers';
import { toArgumentsText } from './tool-arguments';
import { toChatUsage } from './usage/report';
import { UsageReader } from './usage/usage-reader';

type Fields = Record<string, unknown>;

/** A block that calls a tool. Its first event may have the input already; pieces that follow replace it. */
interface CallBlock {
  /** Position of the call among the calls of its answer. */
  number: number;
  input: Fields;
  isSaid: boolean;
}

/** Converts the events of one Messages stream to those of a chat stream. */
export class MessagesStreamReader {
  readonly #usage = new UsageReader('messages');
  /** The blocks that call a tool, by index. */
  readonly #calls = new Map<number, CallBlock>();
  readonly #cited = new CitedText();
  /** The open text block: its citations are sent at its end, when its length is known. */
  #text: { index: number; text: string; citations: unknown[] } | undefined;
  /** The message of the first event: empty, or whole. */
  #message: Fields | undefined;
  #hasBlocks = false;
  #hasFinish = false;

  /**
   * Returns the data of the same event in chat: none, one or several. Throws if it is not a JSON object, or
   * if another message begins before the first one ends: one stream cannot carry two answers.
   */
  read(data: string): string[] {
    const event = asFields(JSON.parse(data));
    if (!event) throw new Error('an event of the stream is not an object');
    const hasUsage = this.#usage.note(event['type'] === 'message_start' ? event['message'] : event);
    switch (event['type']) {
      case 'message_start':
        return this.#beginMessage(asFields(event['message']) ?? {});
      case 'content_block_start':
        return this.#begin(asIndex(event['index']) ?? 0, asFields(event['content_block']) ?? {});
      case 'content_block_delta':
        return this.#add(asIndex(event['index']) ?? 0, asFields(event['delta']) ?? {});
      case 'content_block_stop':
        return [...this.#endText(), ...this.#endCall(asIndex(event['index']) ?? 0)];
      case 'message_delta':
        return [
          ...this.#tellContent(),
          ...this.#endText(),
          ...[...this.#calls.keys()].flatMap((index) => this.#endCall(index)),
          ...this.#end(asFields(event['delta']) ?? {}),
        ];
      case 'message_stop':
        return [
          ...this.#tellContent(),
          ...(this.#hasFinish ? [] : this.#end(this.#message ?? {})),
          ...(hasUsage ? [JSON.stringify(this.#reported())] : []),
          '[DONE]',
        ];
      case 'error':
        return [JSON.stringify({ error: toChatError(event['error']) })];
      default:
        return [];
    }
  }

  #beginMessage(message: Fields): string[] {
    const before = this.#message;
    if (this.#hasBlocks && before?.['id'] !== message['id'])
      throw new Error('another message begins before the first one ends');
    this.#message = message;
    return before ? [] : [chunkOf({ role: 'assistant' })];
  }

  /** Calls made by the model's own code come whole in the first event, and no block follows. */
  #tellContent(): string[] {
    const { content } = this.#message ?? {};
    if (this.#hasBlocks || !Array.isArray(content)) return [];
    return content.flatMap((value, index) => {
      const block = asFields(value) ?? {};
      const { type, signature } = block;
      return [
        ...this.#begin(index, block),
        ...(type === 'thinking' && signature ? [signed(signature)] : []),
        ...this.#endText(),
        ...this.#endCall(index),
      ];
    });
  }

  #begin(index: number, block: Fields): string[] {
    this.#hasBlocks = true;
    switch (block['type']) {
      case 'text': {
        const ended = this.#endText();
        this.#text = {
          index,
          text: '',
          citations: Array.isArray(block['citations']) ? block['citations'] : [],
        };
        return block['text'] ? [...ended, this.#say(block['text'])] : ended;
      }
      case 'thinking':
        return block['thinking'] ? [chunkOf({ reasoning_content: block['thinking'] })] : [];
      case 'redacted_thinking':
        return [chunkOf({ reasoning_details: detailOf(block) })];
      case 'tool_use': {
        const call = { number: this.#calls.size, input: asFields(block['input']) ?? {}, isSaid: false };
        this.#calls.set(index, call);
        return [callChunk(call.number, { name: block['name'], arguments: '' })];
      }
      default:
        return [];
    }
  }

  #add(index: number, delta: Fields): string[] {
    switch (delta['type']) {
      case 'text_delta':
        return [this.#say(delta['text'])];
      case 'citations_delta':
        this.#text?.citations.push(delta['citation']);
        return [];
      case 'thinking_delta':
        return [chunkOf({ reasoning_content: delta['thinking'] })];
      case 'signature_delta':
        return [signed(delta['signature'])];
      case 'input_json_delta': {
        const call = this.#calls.get(index);
        if (call === undefined || !delta['partial_json']) return [];
        call.isSaid = true;
        return [callChunk(call.number, { arguments: delta['partial_json'] })];
      }
      default:
        return [];
    }
  }

  #reported(): object {
    const { report } = this.#usage;
    return report === undefined ? {} : { usage: toChatUsage(report) };
  }

  #say(text: unknown): string {
    if (this.#text) this.#text.text += asString(text) ?? '';
    return chunkOf({ content: text });
  }

  #endText(): string[] {
    const text = this.#text;
    this.#text = undefined;
    const annotations = text ? this.#cited.add({ ...text }) : [];
    return annotations.length === 0 ? [] : [chunkOf({ annotations })];
  }

  #endCall(index: number): string[] {
    const call = this.#calls.get(index);
    if (!call || call.isSaid) return [];
    call.isSaid = true;
    return [callChunk(call.number, { arguments: toArgumentsText(call.input) })];
  }

  #end(ended: Fields): string[] {
    const finish_reason = toFinishReason(ended['stop_reason']);
    this.#hasFinish ||= finish_reason !== null;
    const choice = { index: 0, delta: {}, finish_reason, ...stopSequenceOf(ended) };
    return [JSON.stringify({ choices: [choice], ...this.#reported() })];
  }
}

const chunkOf = (delta: object): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] });

const signed = (signature: unknown): string =>
  chunkOf({ reasoning_details: [{ type: 'reasoning.text', signature }] });

const callChunk = (index: number, called: object): string =>
  chunkOf({
    tool_calls: [{ index, ...('name' in called && { id: `call_${String(index)}` }), function: called }],
  });

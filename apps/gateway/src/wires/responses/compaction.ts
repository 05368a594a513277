import type { ResponsesOutputItem, ResponsesRequest } from '@farebox/api';
import { isOwnSummary, OWN_SUMMARY } from '@farebox/api';
import { PiecedText } from '../../chat/pieced-text';
import type { ChunkChoice } from '../../upstream/answers';
import type { Emit } from './open-items';

/**
 * A client that shortens its conversation asks for one item that replaces all of it, and sends that item
 * back. Nothing is stored, so the item itself contains the summary, readable for the client.
 */
export function asksForCompaction({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return typeof input !== 'string' && input.at(-1)?.type === 'compaction_trigger';
}

export const SUMMARISE = [
  'The conversation up to here is about to be replaced by a summary, from which another assistant goes on with the work.',
  'Write that summary now: what the user wants and has ruled out, what was decided and why, what was done and found',
  '(names of files, commands and their results, where they matter), and what is left to do, the next step first.',
  'Call no tool. Answer with the summary alone.',
].join(' ');

const BEFORE_SUMMARY = 'A summary of the conversation so far, which it stands for:';

function toEncryptedContent(summary: string): string {
  return `${OWN_SUMMARY}${Buffer.from(summary).toString('base64')}`;
}

/** The message that replaces the summarised conversation; undefined if another service wrote the summary. */
export function toldOfSummary(encrypted: string | null | undefined): string | undefined {
  if (!isOwnSummary(encrypted)) return undefined;
  const summary = Buffer.from(encrypted.slice(OWN_SUMMARY.length), 'base64').toString();
  return `${BEFORE_SUMMARY}\n\n${summary}`;
}

/** The only item of a compaction. It is emitted when its text is complete. */
export class CompactionOutput {
  readonly #id: string;
  readonly #emit: Emit;
  readonly #summary = new PiecedText();

  constructor(idBody: string, emit: Emit) {
    this.#id = `cmp_${idBody}_0`;
    this.#emit = emit;
  }

  add({ delta, begins }: Pick<ChunkChoice, 'delta' | 'begins'>): void {
    if (begins?.follows) this.#summary.add('\n\n');
    if (delta.content) this.#summary.add(delta.content);
  }

  /** The item contains everything, so nothing is kept. */
  kept(): object[] {
    return [];
  }

  /** Empty if the model wrote nothing: the client would lose its conversation. */
  end(): ResponsesOutputItem[] {
    const { text } = this.#summary;
    if (text.trim() === '') return [];
    const item = { type: 'compaction', id: this.#id, encrypted_content: toEncryptedContent(text) } as const;
    this.#emit({ type: 'response.output_item.added', output_index: 0, item });
    this.#emit({ type: 'response.output_item.done', output_index: 0, item });
    return [item];
  }
}

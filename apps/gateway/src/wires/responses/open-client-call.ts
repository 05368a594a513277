import type { ResponsesOutputItem } from '@farebox/api';
import { toClientCall, type ClientToolName } from '../../upstream/client-tools';
import { PiecedText } from '../../chat/pieced-text';
import type { Emit, ItemEnd, OpenItem, Place } from './open-items';

/** A call of a tool that OpenAI's clients run: its first event has all of it, once it is complete. */
export class OpenClientCall implements OpenItem {
  readonly #place: Place;
  readonly #call: { name: ClientToolName; call_id: string };
  readonly #arguments = new PiecedText();

  constructor(place: Place, call: { name: ClientToolName; call_id: string }) {
    this.#place = place;
    this.#call = call;
  }

  add(delta: string): void {
    this.#arguments.add(delta);
  }

  close(emit: Emit, end: ItemEnd): ResponsesOutputItem {
    const { item_id: id, output_index } = this.#place;
    const { name, call_id } = this.#call;
    const called = toClientCall(name, this.#arguments.text);
    const about = { id, call_id };
    const item: ResponsesOutputItem =
      called.type === 'apply_patch_call'
        ? { ...about, ...called, status: end === 'completed' ? end : 'in_progress' }
        : { ...about, ...called, status: end };
    emit({ type: 'response.output_item.added', output_index, item });
    emit({ type: 'response.output_item.done', output_index, item });
    return item;
  }
}

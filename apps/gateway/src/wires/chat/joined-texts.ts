import type { ChatCompletion, UrlCitation } from '@farebox/api';
import type { Choice, ChunkChoice } from '../../upstream/answers';

/** Separates the messages of an answer: in chat, they are one text. */
const SEPARATOR = '\n\n';

/** A choice as chat expresses it: one text, and no order. */
export function withJoinedTexts({ order, ...choice }: Choice): ChatCompletion['choices'][number] {
  if (!order?.some(({ begins }) => begins?.follows)) return choice;
  const { content, annotations } = choice.message;
  const starts: number[] = [];
  let text = '';
  let at = 0;
  for (const { kind, length, begins } of order) {
    if (kind !== 'text') continue;
    if (begins?.follows) {
      starts.push(at);
      text += SEPARATOR;
    }
    text += (content ?? '').slice(at, (at += length));
  }
  const moved = annotations?.map((cited) => {
    const before = starts.filter((start) => start <= cited.url_citation.start_index);
    return shifted(cited, before.length * SEPARATOR.length);
  });
  const message = { ...choice.message, content: text, ...(moved && { annotations: moved }) };
  return { ...choice, message };
}

/** Joins the texts of one stream. Only servers that write one choice write several messages. */
export class JoinedTexts {
  /** Characters that were added so far. */
  #added = 0;

  read(choices: readonly ChunkChoice[]): readonly ChunkChoice[] {
    const hasBegun = choices.some(({ begins }) => begins !== undefined);
    return hasBegun || this.#added > 0 ? choices.map((choice) => this.#read(choice)) : choices;
  }

  #read({ begins, ...choice }: ChunkChoice): ChunkChoice {
    const { content, annotations } = choice.delta;
    const separator = begins?.follows ? SEPARATOR : '';
    this.#added += separator.length;
    const delta = {
      ...choice.delta,
      ...(content != null && { content: separator + content }),
      ...(annotations && { annotations: annotations.map((cited) => shifted(cited, this.#added)) }),
    };
    return { ...choice, delta };
  }
}

function shifted({ type, url_citation: cited }: UrlCitation, by: number): UrlCitation {
  const [start_index, end_index] = [cited.start_index + by, cited.end_index + by];
  return { type, url_citation: { ...cited, start_index, end_index } };
}

import type { ChunkChoice } from './answers';

type TextChoice = ChunkChoice & { delta: { content: string } };

/** Whether a choice has a piece of text and nothing else, as nearly all choices of a stream do. */
export function isTextOnly(choice: ChunkChoice): choice is TextChoice {
  const { delta, finish_reason: finish, logprobs, stop_sequence: stop, begins } = choice;
  for (const field in delta) if (field !== 'content') return false;
  if (typeof delta.content !== 'string' || finish !== null) return false;
  return logprobs === undefined && stop === undefined && begins === undefined;
}

/** The bytes of an event before the quotation mark that opens its text, and after the one that closes it. */
interface TextForm {
  index: number;
  before: string;
  after: string;
}

/** Where a server writes the text of an event. */
const CONTENT = /"content": ?"/;
const PROBE = 'x';
/** Attempts in a row without use: some servers write something new into each event. */
const MOST_FORMS = 3;

/**
 * Reads stream events by parsing only their text, if they differ from a parsed event in nothing else. That is
 * safe because the rest of the event equals, byte for byte, one already parsed.
 */
export class TextEvents {
  #form: TextForm | undefined;
  #formsLeft = MOST_FORMS;

  /** Undefined if the event must be parsed in full. */
  read(data: string): TextChoice | undefined {
    const form = this.#form;
    if (!form || !isOfForm(data, form)) return undefined;
    const text = data.slice(form.before.length, data.length - form.after.length);
    const content = textOfJson(`"${text}"`);
    if (content === undefined) return undefined;
    this.#formsLeft = MOST_FORMS;
    return { index: form.index, delta: { content }, finish_reason: null };
  }

  /**
   * Learns the pattern of a parsed event that has only this text. The place of the text is confirmed by
   * parsing the event again with another text there.
   */
  learn(data: string, choice: ChunkChoice, parse: (data: string) => ChunkChoice | undefined): void {
    if (this.#formsLeft === 0 || !isTextOnly(choice) || (this.#form && isOfForm(data, this.#form))) return;
    const { index } = choice;
    const found = CONTENT.exec(data);
    const start = found ? found.index + found[0].length : 0;
    const end = start + choice.delta.content.length;
    if (!found || data.slice(start, end + 1) !== `${choice.delta.content}"`) return;
    this.#formsLeft--;
    const probe = data.slice(0, start) + PROBE + data.slice(end);
    const probed = parse(probe);
    if (probed === undefined || !isTextOnly(probed)) return;
    if (probed.index !== index || probed.delta.content !== PROBE) return;
    // Taken from the probe: slices of the event would keep its whole chunk in memory.
    this.#form = { index, before: probe.slice(0, start), after: probe.slice(start + PROBE.length) };
  }
}

function isOfForm(data: string, { before, after }: TextForm): boolean {
  const rest = data.length - after.length;
  // eslint-disable-next-line @typescript-eslint/prefer-string-starts-ends-with -- V8's go from character to character
  return rest >= before.length && data.slice(0, before.length) === before && data.slice(rest) === after;
}

/** Undefined unless the input is exactly one JSON string. */
function textOfJson(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

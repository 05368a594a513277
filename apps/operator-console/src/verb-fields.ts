import type { Given, Parameter, Verb } from './api';

/** The input of a person: a text for each parameter, or whether a flag is set. */
export type Entries = Readonly<Record<string, string | boolean>>;

/** Parameters of the command line that the dialog replaces. */
const NEVER_ASKED = new Set(['yes', 'csv', 'limit', 'after']);

/** The parameters that a form asks for: all that are not given, or those that are named. */
export function fieldsOf(
  { parameters }: Pick<Verb, 'parameters'>,
  given: Given,
  names?: readonly string[],
): readonly Parameter[] {
  return parameters.filter(
    ({ name }) =>
      !NEVER_ASKED.has(name) && given[name] === undefined && (names === undefined || names.includes(name)),
  );
}

/** Names that say too little by themselves: their description says it. */
const DESCRIBED = new Set(['to']);
const NAMES: Readonly<Record<string, string>> = {
  email: 'E-mail address',
  no_mail: 'No mail',
  tax_id: 'Tax number',
  all_of: 'All of',
  only: 'Only these verbs',
};

/** A parameter for a person: its name, and what it means. */
export function wordsOf({ name, description, kind }: Parameter): { label: string; description?: string } {
  // An example of an id stays as it is.
  const meaning = /^\w+[_-]…/.test(description) ? description : capitalised(description);
  if (DESCRIBED.has(name)) return { label: meaning };
  const label = NAMES[name] ?? capitalised(name.replaceAll('_', ' '));
  const sentence = /[….?]$/.test(meaning) ? meaning : `${meaning}.`;
  return { label, description: kind === 'texts' ? `${sentence} One on each line.` : sentence };
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The values to send: empty fields are left out, and a list has an item for each line. */
export function toGiven(fields: readonly Parameter[], entries: Entries): Given {
  const values = fields.flatMap(({ name, kind }): (readonly [string, Given[string]])[] => {
    const entry = entries[name];
    if (typeof entry === 'boolean' || entry === undefined) return entry ? [[name, true]] : [];
    // A file is sent as it is.
    if (kind === 'file') return entry === '' ? [] : [[name, entry]];
    const lines = entry
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    if (lines.length === 0) return [];
    return [[name, kind === 'texts' ? lines : lines.join(' ')]];
  });
  return Object.fromEntries(values);
}

/** The result of a verb, for a dialog: secrets or a link that are shown once, a line each, and the sentences about them. */
export function resultOf(text: string): { secret?: string; sentences: string } {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !/^\S{20,}$/.test(line));
  if (end <= 0) return { sentences: text };
  return { secret: lines.slice(0, end).join('\n'), sentences: lines.slice(end).join('\n') };
}

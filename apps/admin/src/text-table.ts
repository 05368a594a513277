import Table from 'cli-table3';

/** How far apart columns stand. */
const GAP = '  ';
const NO_BORDERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', right: '', 'right-mid': '', mid: '', 'mid-mid': '', middle: GAP },
};
const NO_PADDING = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };

export interface Column {
  name: string;
  /** Numbers and amounts stand below each other. */
  align?: 'right';
}

/** Rows under their names, for a person at a terminal. */
export function toTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: columns.map(({ name }) => name.toUpperCase()),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    chars: NO_BORDERS,
    style: NO_PADDING,
  });
  table.push(...rows.map((row) => [...row]));
  return withoutTrailingSpace(table.toString());
}

/** What is known of one thing: a label and a text each. */
export function toFields(fields: readonly (readonly [label: string, text: string])[]): string {
  const table = new Table({ chars: NO_BORDERS, style: NO_PADDING });
  table.push(...fields.map((field) => [...field]));
  return withoutTrailingSpace(table.toString());
}

function withoutTrailingSpace(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

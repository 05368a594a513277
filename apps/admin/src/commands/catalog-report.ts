import type { CatalogChange } from '@farebox/catalog';

const SIGNS: Record<CatalogChange['change'], string> = {
  added: '+',
  changed: '~',
  disabled: '-',
  removed: '-',
};

/** A line for each entry that changes, and below it one for each of its fields. */
export function describeChanges(changes: readonly CatalogChange[]): string {
  return changes
    .flatMap(({ kind, id, change, fields }) => [
      `${SIGNS[change]} ${kind} ${id} ${change}`,
      ...fields.map(({ field, before, after }) =>
        change === 'added'
          ? `    ${field}: ${after ?? 'none'}`
          : `    ${field}: ${before ?? 'none'} -> ${after ?? 'none'}`,
      ),
    ])
    .join('\n');
}

/** How many entries change, for a person. */
export function countChanges(changes: readonly CatalogChange[]): string {
  return changes.length === 1 ? '1 entry changes' : `${String(changes.length)} entries change`;
}

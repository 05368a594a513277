import type pg from 'pg';
import type { Catalog } from './catalog';
import { keepCatalogFile } from './catalog-versions';
import { diffCatalog, type CatalogChange } from './diff-catalog';
import { readCatalogWithCosts, writeCatalog } from './stored-catalog';

export interface GivenCatalogFile {
  /** For the log. */
  file: string;
  text: string;
  catalog: Catalog;
  appliedBy: string;
}

export type CatalogCounts = Readonly<Record<'models' | 'upstreams' | 'new_prices', number>>;

export interface AppliedFile {
  version: number;
  counts: CatalogCounts;
  /** False if the file was in force already: then there is no new version. */
  isNew: boolean;
  changes: CatalogChange[];
  /** For the operators' log. */
  details: CatalogCounts & ChangeSummary & Readonly<{ file: string }>;
}

/** Not an interface: it fits into the details of an action. */
export type ChangeSummary = Readonly<{ changed_entries: number; changes: string }>;

/** Entries named in the operators' log; the version's file has the whole difference. */
const MOST_NAMED = 50;

/** Puts a catalogue file into force and keeps it, within the transaction of `client`. */
export async function applyCatalogFile(
  client: pg.PoolClient,
  { file, text, catalog, appliedBy }: GivenCatalogFile,
): Promise<AppliedFile> {
  const before = await readCatalogWithCosts(client);
  const changes = diffCatalog(before, catalog);
  const isInForce = changes.length === 0 && before.version > 0;
  const { newPrices, version } = isInForce
    ? { newPrices: 0, version: before.version }
    : await writeCatalog(client, catalog);
  if (!isInForce) await keepCatalogFile(client, { version, appliedBy, file: text });
  const counts = {
    ...{ models: catalog.models.length, upstreams: catalog.upstreams.length },
    new_prices: newPrices,
  };
  return {
    version,
    isNew: !isInForce,
    counts,
    changes,
    details: { ...counts, file, ...summariseChanges(changes) },
  };
}

/** For the operators' log. */
export function summariseChanges(changes: readonly CatalogChange[]): ChangeSummary {
  const named = changes.slice(0, MOST_NAMED).map(nameChange).join(', ');
  return { changed_entries: changes.length, changes: named };
}

/** With the former and the new prices of a model that was there before. */
function nameChange({ change, id, fields }: CatalogChange): string {
  const prices = fields.filter(({ field }) => change === 'changed' && /_price$|^price_steps$/.test(field));
  const moves = prices.map(
    ({ field, before, after }) => `${field} ${before ?? 'none'} -> ${after ?? 'none'}`,
  );
  return `${change} ${id}${moves.length === 0 ? '' : ` (${moves.join('; ')})`}`;
}

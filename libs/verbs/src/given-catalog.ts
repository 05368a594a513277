import { listCohorts, openAccounts } from '@farebox/accounts';
import {
  findCatalogFile,
  findScheduledFile,
  parseCatalog,
  priceWarnings,
  type Catalog,
  type CatalogChange,
  type CatalogSnapshot,
} from '@farebox/catalog';
import type { Queryable } from '@farebox/database';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readVersion } from './arguments';
import { readCatalogFile, readOwnedBy } from './environment';
import { NotFoundFailure } from './failures';
import type { VerbRunner } from './verb';

export const DEFAULT_FILE = 'default: FAREBOX_CATALOG, or config/catalog.yaml';

/** Which file, if not one that is handed over. */
export interface GivenVersion {
  version?: number | undefined;
  scheduled?: true | undefined;
}

export function addVersionOption(command: Command): Command {
  return command.option('--version <number>', 'the file of an applied version instead', readVersion);
}

export function addScheduledOption(command: Command): Command {
  return command.option('--scheduled', 'the file that is scheduled instead');
}

export interface OpenedCatalog {
  /** For messages. */
  file: string;
  text: string;
  catalog: Catalog;
}

/**
 * The given catalogue file, that of an applied version, the scheduled one, or that of the environment. Throws
 * `CommandFailure` and `CatalogError`.
 */
export async function openCatalogFile(
  { given, version, scheduled }: GivenVersion & { given: string | undefined },
  { environment, openFile, find }: VerbRunner,
  command: Command,
): Promise<OpenedCatalog> {
  if ([given, version, scheduled].filter((one) => one !== undefined).length > 1)
    command.error(`error: give a file, or --version${scheduled ? ', or --scheduled' : ''}`);
  const { name, text } =
    version === undefined && !scheduled
      ? await openFile(given, () => readCatalogFile(environment))
      : await find((pool) => findKeptFile(pool, { version }));
  return { file: name, text, catalog: parseCatalog(text, environment, readOwnedBy(environment)) };
}

/** The file of a version, or else the scheduled one. Throws `NotFoundFailure`. */
export async function findKeptFile(
  db: Queryable,
  { version }: GivenVersion,
): Promise<{ name: string; text: string }> {
  if (version !== undefined) {
    const text = await findCatalogFile(db, version);
    if (text === undefined) throw new NotFoundFailure(`The file of version ${String(version)} is not kept.`);
    return { name: `version ${String(version)}`, text };
  }
  const scheduled = await findScheduledFile(db);
  if (!scheduled) throw new NotFoundFailure('No version of the catalogue is scheduled.');
  return scheduled;
}

/** Reasons to ask before the catalogue is applied, one sentence each. */
export async function warningsOf(pool: Pool, current: CatalogSnapshot, wanted: Catalog): Promise<string[]> {
  const known = new Set((await listCohorts(openAccounts(pool))).map(({ name }) => name));
  const unknown = wanted.models.flatMap(({ id, visibility }) =>
    visibility.to === 'cohorts'
      ? visibility.cohorts
          .filter((name) => !known.has(name))
          .map((name) => `${id}: there is no cohort ${name}.`)
      : [],
  );
  return [...priceWarnings(current, wanted), ...unknown];
}

const SIGNS: Record<CatalogChange['change'], string> = {
  added: '+',
  changed: '~',
  disabled: '-',
  removed: '-',
};

/** A line for each changed entry, followed by one for each of its fields. */
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

/** The number of changed entries, for a person. */
export function countChanges(changes: readonly CatalogChange[]): string {
  return changes.length === 1 ? '1 entry changes' : `${String(changes.length)} entries change`;
}

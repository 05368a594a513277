import { findCatalogFile, listCatalogVersions } from '@farebox/catalog';
import { toUnixSeconds } from '@farebox/api';
import type { Pool } from 'pg';
import { readLimit, readVersion } from './arguments';
import { NotFoundFailure } from './failures';
import { DEFAULT_LIMIT, toTable } from './lists';
import type { Report } from './report';
import type { Verbs } from './verb';

export const catalogVersionCommands: Verbs = {
  'catalog versions': {
    help: 'list the applied versions of the catalogue whose files are kept, newest first: when, and by whom',
    takes: (command) =>
      command.option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT),
    examples: ['admin catalog versions'],
    run:
      ({ read }) =>
      ({ limit }: { limit: number }) =>
        read((pool) => list(pool, limit)),
  },
  'catalog show': {
    help: 'print the file of an applied version of the catalogue',
    takes: (command) =>
      command.option('--version <number>', 'of this version; default: the newest', readVersion),
    examples: ['admin catalog show', 'admin catalog show --version 7'],
    run:
      ({ read }) =>
      ({ version }: { version?: number }) =>
        read((pool) => show(pool, version)),
  },
};

async function list(pool: Pool, limit: number): Promise<Report> {
  const found = await listCatalogVersions(pool, { before: undefined, limit: limit + 1 });
  const data = found.slice(0, limit).map(({ version, appliedAt, appliedBy }) => ({
    ...{ version, applied_at: toUnixSeconds(appliedAt), applied_by: appliedBy },
  }));
  const json = { object: 'list', data, has_more: found.length > limit };
  if (data.length === 0)
    return { json, text: 'No version was applied by an operator yet: admin catalog apply' };
  const table = toTable(
    [{ name: 'version', align: 'right' }, { name: 'when' }, { name: 'by' }],
    data.map((one) => [
      ...[String(one.version), new Date(one.applied_at * 1_000).toISOString(), one.applied_by],
    ]),
  );
  return { json, text: json.has_more ? `${table}\nMore: give a higher --limit.` : table };
}

async function show(pool: Pool, given: number | undefined): Promise<Report> {
  const [newest] =
    given === undefined ? await listCatalogVersions(pool, { before: undefined, limit: 1 }) : [];
  const version = given ?? newest?.version;
  if (version === undefined)
    throw new NotFoundFailure('No version was applied by an operator yet: admin catalog apply');
  const catalog = await requireCatalogFile(pool, version);
  return { json: { version, catalog }, text: catalog.replace(/\n$/, '') };
}

/** Throws `NotFoundFailure` if the file of this version is not kept. */
export async function requireCatalogFile(pool: Pick<Pool, 'query'>, version: number): Promise<string> {
  const file = await findCatalogFile(pool, version);
  if (file === undefined) throw new NotFoundFailure(`The file of version ${String(version)} is not kept.`);
  return file;
}

import { listCatalogVersions } from '@farebox/catalog';
import { toUnixSeconds } from '@farebox/api';
import type { Pool } from 'pg';
import { readLimit } from './arguments';
import { NotFoundFailure } from './failures';
import { addScheduledOption, addVersionOption, findKeptFile, type GivenVersion } from './given-catalog';
import { DEFAULT_LIMIT, toTable, toIso } from './lists';
import type { Report } from './report';
import type { Command } from 'commander';
import type { Verbs } from './verb';

const NONE = 'No operator has applied a version yet.';

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
    help: 'print the file of an applied version of the catalogue, by default the newest, or the scheduled one',
    takes: (command) => addScheduledOption(addVersionOption(command)),
    examples: ['admin catalog show', 'admin catalog show --version 7', 'admin catalog show --scheduled'],
    run:
      ({ read }, command: Command) =>
      ({ version, scheduled }: GivenVersion) => {
        if (version !== undefined && scheduled) command.error('error: give --version or --scheduled');
        return read((pool) => show(pool, { version, scheduled }));
      },
  },
};

async function list(pool: Pool, limit: number): Promise<Report> {
  const found = await listCatalogVersions(pool, { before: undefined, limit: limit + 1 });
  const data = found.slice(0, limit).map(({ version, appliedAt, appliedBy }) => ({
    ...{ version, applied_at: toUnixSeconds(appliedAt), applied_by: appliedBy },
  }));
  const json = { object: 'list', data, has_more: found.length > limit };
  if (data.length === 0) return { json, text: NONE };
  const table = toTable(
    [{ name: 'version', align: 'right' }, { name: 'when' }, { name: 'by' }],
    data.map((one) => [...[String(one.version), toIso(one.applied_at), one.applied_by]]),
  );
  return { json, text: json.has_more ? `${table}\nMore: give a higher --limit.` : table };
}

async function show(pool: Pool, { version: given, scheduled }: GivenVersion): Promise<Report> {
  const version = scheduled ? undefined : (given ?? (await newestVersion(pool)));
  const { text } = await findKeptFile(pool, { version });
  return { json: { version: version ?? null, catalog: text }, text: text.replace(/\n$/, '') };
}

async function newestVersion(pool: Pool): Promise<number> {
  const [newest] = await listCatalogVersions(pool, { before: undefined, limit: 1 });
  if (!newest) throw new NotFoundFailure(NONE);
  return newest.version;
}

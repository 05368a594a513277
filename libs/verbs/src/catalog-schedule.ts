import { toUnixSeconds } from '@farebox/api';
import {
  diffCatalog,
  LATE_SECONDS,
  listScheduledCatalogs,
  scheduleCatalog,
  summariseChanges,
  withdrawSchedule,
  type CatalogSnapshot,
  type ScheduledCatalog,
} from '@farebox/catalog';
import type { Pool } from 'pg';
import { readLimit } from './arguments';
import type { Change } from './audit-log';
import { CommandFailure, NotFoundFailure, UsageError } from './failures';
import { describeChanges, type OpenedCatalog } from './given-catalog';
import { DEFAULT_LIMIT, toTable, toIso } from './lists';
import type { Report } from './report';
import type { Verbs } from './verb';

export const catalogScheduleCommands: Verbs = {
  'catalog scheduled': {
    help: 'list the versions of the catalogue that were scheduled, newest first: for when, by whom, and what became of them',
    takes: (command) =>
      command.option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT),
    examples: ['admin catalog scheduled'],
    run:
      ({ read }) =>
      ({ limit }: { limit: number }) =>
        read((pool) => list(pool, limit)),
  },
  'catalog unschedule': {
    help: 'withdraw the scheduled version of the catalogue: it is not applied. Also ends the notice of one that was refused.',
    examples: ['admin catalog unschedule'],
    run:
      ({ change }) =>
      () =>
        change(async ({ client, record }) => {
          const former = await withdrawSchedule(client);
          if (!former) throw new NotFoundFailure('No version of the catalogue is scheduled.');
          const { name, apply_at } = toScheduleRecord(former);
          await record(null, { file: name, apply_at: toIso(apply_at), state: former.state });
          const text =
            former.state === 'scheduled'
              ? `${name} will not be applied at ${toIso(apply_at)}.`
              : `${name} was refused at ${toIso(apply_at)}. Nobody is warned of it any more.`;
          return { json: { ...toScheduleRecord(former), state: 'withdrawn' }, text };
        }),
  },
};

const LONGEST_MS = 366 * 86_400_000;

/** Throws `UsageError` unless it is in the coming year. */
export function checkApplyTime(at: Date): void {
  const inMs = at.getTime() - Date.now();
  if (inMs <= 0) throw new UsageError(`The time ${at.toISOString()} is past.`, 'at');
  if (inMs > LONGEST_MS) throw new UsageError('A version can be scheduled for a year ahead.', 'at');
}

/** Schedules a file that was compared with `current`. */
export async function schedule(
  { client, record, operator }: Change,
  { file, text, catalog }: OpenedCatalog,
  { at, current }: { at: Date; current: CatalogSnapshot },
): Promise<Report> {
  const { version } = current;
  const changes = diffCatalog(current, catalog);
  if (changes.length === 0 && version > 0)
    return { json: { scheduled: null, version }, text: `${file} is already in force.`, unchanged: true };
  const details = summariseChanges(changes);
  const wanted = { applyAt: at, baseVersion: version, name: file, scheduledBy: operator };
  const scheduled = await scheduleCatalog(client, { ...wanted, text, catalog, details });
  if (!scheduled)
    throw new CommandFailure('A version is scheduled already: withdraw it before you schedule another one.');
  const apply_at = toIso(toUnixSeconds(at));
  await record(null, { file, apply_at, base_version: version, ...details });
  return {
    json: { scheduled: toScheduleRecord(scheduled), version },
    text: `${describeChanges(changes)}\n${file} will be applied at ${apply_at}, if version ${String(version)} is still in force then.`,
  };
}

async function list(pool: Pool, limit: number): Promise<Report> {
  const found = await listScheduledCatalogs(pool, { limit: limit + 1 });
  const data = found.slice(0, limit).map(toScheduleRecord);
  const json = { object: 'list', data, has_more: found.length > limit };
  if (data.length === 0) return { json, text: 'No version of the catalogue was scheduled yet.' };
  const table = toTable(
    [{ name: 'for' }, { name: 'by' }, { name: 'file' }, { name: 'base', align: 'right' }, { name: 'state' }],
    data.map((one) => [
      ...[toIso(one.apply_at), one.scheduled_by, one.name, String(one.base_version)],
      describeState(one),
    ]),
  );
  return { json, text: json.has_more ? `${table}\nMore: give a higher --limit.` : table };
}

/** A scheduled version as a script sees it, in Unix seconds. */
export function toScheduleRecord(one: ScheduledCatalog) {
  return {
    apply_at: toUnixSeconds(one.applyAt),
    state: one.state,
    scheduled_by: one.scheduledBy,
    scheduled_at: toUnixSeconds(one.scheduledAt),
    name: one.name,
    base_version: one.baseVersion,
    ended_at: one.endedAt && toUnixSeconds(one.endedAt),
    version: one.version,
    reason: one.reason,
  };
}

export type ScheduleRecord = ReturnType<typeof toScheduleRecord>;

function describeState({ state, version, reason, ended_at, apply_at }: ScheduleRecord): string {
  if (state === 'refused') return `refused: ${reason ?? ''}`;
  if (state !== 'applied') return state;
  const late = (ended_at ?? apply_at) - apply_at;
  const delay = late > LATE_SECONDS ? `, late, at ${toIso(ended_at ?? apply_at)}` : '';
  return `applied as version ${String(version)}${delay}`;
}

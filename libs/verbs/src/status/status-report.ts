import { toUnixSeconds } from '@farebox/api';
import { LATE_SECONDS, type ScheduledCatalog } from '@farebox/catalog';
import type { CheckProgress, LastCheck, MoneyAtRisk, PartitionReach } from '@farebox/ledger';
import { type NanoUsd, toDecimalUsd } from '@farebox/money';
import { FAREBOX_VERSION } from '@farebox/observability';
import { toScheduleRecord } from '../catalog-schedule';
import { toFields, toTable, toIso } from '../lists';
import { describeUpstreams, toUpstreamReport, type UpstreamHealth } from './upstream-health';
import type { JobBackend, QueueMeasure } from '@farebox/jobs';
import type { OutboxBacklog } from '@farebox/mail';

/** The current state of the database, and the worker's progress. */
export interface DatabaseState {
  version: string;
  migrations: number;
  newestMigration: string | null;
  catalogVersion: number;
  /** Usage before this hour is summed; null if none is. */
  usageSummedBefore: Date | null;
  /** The time since then: up to two hours if the worker keeps up. */
  usageLagSeconds: number | null;
}

/** A gateway process and its last sign of life. */
export interface GatewayLease {
  id: string;
  startedAt: Date;
  leaseExpiresAt: Date;
  /** A gateway with a lapsed lease is dead: the worker sweeps its holds and deletes its row. */
  isLive: boolean;
  holds: number;
}

/** The state of the whole service. */
export interface Status {
  database: DatabaseState;
  gateways: GatewayLease[];
  money: MoneyAtRisk;
  /** Those that nobody has decided yet. */
  disputes: { count: number; amountNano: NanoUsd };
  /** Undefined if the books were never checked. */
  lastCheck: LastCheck | undefined;
  /** Undefined if no check of all books has begun. */
  wholeCheck: CheckProgress | undefined;
  partitions: PartitionReach;
  outbox: OutboxBacklog;
  queues: QueueState;
  upstreams: UpstreamHealth[];
  /** The catalogue that waits for its time, or was refused; undefined if there is none. */
  scheduled: ScheduledCatalog | undefined;
}

export interface QueueState {
  keptIn: JobBackend['kind'];
  /** Null if the queues are in PostgreSQL. */
  redisVersion: string | null;
  /** Undefined if they cannot be read now. */
  measures: QueueMeasure[] | undefined;
}

type StatusReport = ReturnType<typeof toStatusReport>;

/** The status as a script sees it, in whole seconds. */
export function toStatusReport({
  database,
  gateways,
  money,
  disputes,
  lastCheck,
  wholeCheck,
  partitions,
  outbox,
  queues,
  upstreams,
  scheduled,
}: Status) {
  return {
    versions: { farebox: FAREBOX_VERSION, postgres: database.version, redis: queues.redisVersion },
    migrations: { applied: database.migrations, newest: database.newestMigration },
    catalog_version: database.catalogVersion,
    catalog_scheduled: scheduled ? toScheduleRecord(scheduled) : null,
    queues: { kept_in: queues.keptIn, queues: toQueueReports(queues) },
    outbox: { rows: outbox.rows, oldest_seconds: Math.floor(outbox.oldestSeconds) },
    holds: {
      open: money.holds.count,
      amount: toDecimalUsd(money.holds.amountNano),
      currency: 'usd',
      oldest_seconds: Math.floor(money.holds.oldestSeconds),
    },
    open_reviews: money.openReviews,
    open_disputes: { count: disputes.count, amount: toDecimalUsd(disputes.amountNano) },
    upstreams: upstreams.map(toUpstreamReport),
    gateways: gateways.map(({ id, startedAt, leaseExpiresAt, isLive, holds }) => ({
      instance_id: id,
      live: isLive,
      started_at: toUnixSeconds(startedAt),
      lease_expires_at: toUnixSeconds(leaseExpiresAt),
      holds,
    })),
    usage: {
      summed_before: database.usageSummedBefore && toUnixSeconds(database.usageSummedBefore),
      lag_seconds: database.usageLagSeconds === null ? null : Math.floor(database.usageLagSeconds),
    },
    books: lastCheck
      ? { checked_at: toUnixSeconds(lastCheck.checkedAt), differences: lastCheck.differences }
      : null,
    books_read_whole: wholeCheck ? toProgressReport(wholeCheck) : null,
    partitions: { end_at: toUnixSeconds(partitions.endAt), rows_beyond: partitions.rowsBeyond },
  };
}

function toProgressReport({ startedAt, finishedAt, accountsRead, accounts, entriesRead }: CheckProgress) {
  return {
    started_at: toUnixSeconds(startedAt),
    finished_at: finishedAt && toUnixSeconds(finishedAt),
    accounts_read: accountsRead,
    accounts,
    entries_read: Number(entriesRead),
  };
}

/** Null if the queues cannot be read. */
function toQueueReports({ measures }: QueueState) {
  if (!measures) return null;
  return measures.map(({ oldestWaitingMs, ...measure }) => ({
    ...measure,
    oldest_waiting_seconds: Math.floor(oldestWaitingMs / 1_000),
  }));
}

/** The status for a person. `now`: Unix seconds. */
export function describeStatus(status: StatusReport, now: number): string {
  return [
    toFields(toLines(status, now)),
    `Queues, kept in ${status.queues.kept_in}:\n${describeQueues(status)}`,
    describeUpstreams(status.upstreams),
    `Gateways:\n${describeGateways(status, now)}`,
  ].join('\n\n');
}

function toLines(status: StatusReport, now: number): [label: string, text: string][] {
  const { versions, migrations, holds, outbox, open_reviews, open_disputes, usage, books } = status;
  const reviews = Object.entries(open_reviews).filter(([, count]) => count > 0);
  return [
    ['versions', `Farebox ${versions.farebox}, PostgreSQL ${versions.postgres}${redisOf(status)}`],
    ['migrations', `${String(migrations.applied)}, the newest ${migrations.newest ?? 'none'}`],
    ['catalogue', `version ${String(status.catalog_version)}`],
    ...describeScheduled(status, now),
    [
      'holds',
      `${String(holds.open)} open, ${holds.amount} dollars${oldest(holds.open, holds.oldest_seconds)}`,
    ],
    [
      'reviews',
      reviews.length === 0
        ? 'none open'
        : `${reviews.map(([reason, count]) => `${String(count)} ${reason}`).join(', ')}: admin review list`,
    ],
    [
      'disputes',
      open_disputes.count === 0
        ? 'none open'
        : `${String(open_disputes.count)} open, ${open_disputes.amount} dollars: admin dispute list`,
    ],
    ['outbox', `${String(outbox.rows)} rows${oldest(outbox.rows, outbox.oldest_seconds)}`],
    [
      'usage',
      usage.lag_seconds === null ? 'never summed' : `summed up to ${describeAge(usage.lag_seconds)} ago`,
    ],
    [
      'books',
      books === null
        ? 'not checked by a worker yet'
        : `${books.differences === 0 ? 'right' : `${String(books.differences)} DIFFERENCES: admin ledger verify`}, checked ${describeAge(now - books.checked_at)} ago`,
    ],
    ['books read whole', describeWholeCheck(status, now)],
    ['partitions', describePartitions(status)],
  ];
}

function describeScheduled(
  { catalog_scheduled: scheduled, catalog_version: version }: StatusReport,
  now: number,
): [label: string, text: string][] {
  if (!scheduled) return [];
  const { name, apply_at, base_version, scheduled_by } = scheduled;
  const time = toIso(apply_at);
  const what = `${name} for ${time}, by ${scheduled_by}`;
  if (scheduled.state === 'refused')
    return [['scheduled catalogue', `${what}: REFUSED. ${scheduled.reason ?? ''}`]];
  const doubts = [
    ...(apply_at < now - LATE_SECONDS ? [`LATE by ${describeAge(now - apply_at)}`] : []),
    ...(base_version === version
      ? []
      : [`WILL BE REFUSED: it was compared with version ${String(base_version)}`]),
  ];
  return [['scheduled catalogue', [what, ...doubts].join('. ')]];
}

function describeWholeCheck({ books_read_whole: whole }: StatusReport, now: number): string {
  if (whole === null) return 'not begun';
  if (whole.finished_at !== null) return `${describeAge(now - whole.finished_at)} ago`;
  const read = `${String(whole.accounts_read)} of ${String(whole.accounts)} accounts`;
  return `${read} since ${describeAge(now - whole.started_at)}, ${String(whole.entries_read)} entries`;
}

function describePartitions({ partitions: { end_at, rows_beyond } }: StatusReport): string {
  const reach = `made up to ${toIso(end_at).slice(0, 10)}`;
  return rows_beyond === 0 ? reach : `${reach}, ${String(rows_beyond)} ROWS BEYOND: admin doctor`;
}

function redisOf({ versions, queues }: StatusReport): string {
  if (queues.kept_in === 'postgres') return ', no Redis';
  return versions.redis === null ? ', Redis does not answer' : `, Redis ${versions.redis}`;
}

function oldest(count: number, seconds: number): string {
  return count === 0 ? '' : `, the oldest since ${describeAge(seconds)}`;
}

function describeQueues({ queues }: StatusReport): string {
  if (queues.queues === null) return 'They cannot be read now: admin doctor';
  const number = { align: 'right' } as const;
  return toTable(
    [
      { name: 'queue' },
      ...['waiting', 'active', 'delayed', 'failed', 'oldest waits'].map((name) => ({ name, ...number })),
    ],
    queues.queues.map((one) => [
      one.queue,
      ...[one.waiting, one.active, one.delayed, one.failed].map(String),
      one.waiting === 0 ? '' : describeAge(one.oldest_waiting_seconds),
    ]),
  );
}

function describeGateways({ gateways }: StatusReport, now: number): string {
  if (gateways.length === 0) return 'None has a lease.';
  return toTable(
    [{ name: 'gateway' }, { name: 'lease' }, { name: 'runs since' }, { name: 'holds', align: 'right' }],
    gateways.map((one) => [
      one.instance_id,
      one.live
        ? `for ${describeAge(one.lease_expires_at - now)}`
        : `lapsed ${describeAge(now - one.lease_expires_at)} ago`,
      describeAge(now - one.started_at),
      String(one.holds),
    ]),
  );
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/**
 * A duration in its two largest units, for a person: `2 h 5 min`. Negative ones are zero, since clocks
 * differ.
 */
export function describeAge(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  let rest = whole;
  for (const [length, unit] of UNITS) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 || parts.length > 0) parts.push(`${String(count)} ${unit}`);
  }
  if (parts.length < 2) parts.push(`${String(rest)} s`);
  return parts.slice(0, 2).join(' ');
}

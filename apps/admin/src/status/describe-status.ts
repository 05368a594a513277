import { toFields, toTable } from '../text-table';
import { describeAge } from './describe-age';
import type { StatusReport } from './status-report';

/** The status for a person. `now`: Unix seconds. */
export function describeStatus(status: StatusReport, now: number): string {
  return [
    toFields(toLines(status, now)),
    `Queues, kept in ${status.queues.kept_in}:\n${describeQueues(status)}`,
    `Gateways:\n${describeGateways(status, now)}`,
  ].join('\n\n');
}

function toLines(status: StatusReport, now: number): [label: string, text: string][] {
  const { versions, migrations, holds, outbox, open_reviews, usage, books } = status;
  const reviews = Object.entries(open_reviews).filter(([, count]) => count > 0);
  return [
    ['versions', `Farebox ${versions.farebox}, PostgreSQL ${versions.postgres}${redisOf(status)}`],
    ['migrations', `${String(migrations.applied)}, the newest ${migrations.newest ?? 'none'}`],
    ['catalogue', `version ${String(status.catalog_version)}`],
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

function describeWholeCheck({ books_read_whole: whole }: StatusReport, now: number): string {
  if (whole === null) return 'not begun';
  if (whole.finished_at !== null) return `${describeAge(now - whole.finished_at)} ago`;
  const read = `${String(whole.accounts_read)} of ${String(whole.accounts)} accounts`;
  return `${read} since ${describeAge(now - whole.started_at)}, ${String(whole.entries_read)} entries`;
}

function describePartitions({ partitions: { end_at, rows_beyond } }: StatusReport): string {
  const reach = `made up to ${new Date(end_at * 1_000).toISOString().slice(0, 10)}`;
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

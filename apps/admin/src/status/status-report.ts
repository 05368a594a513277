import { toUnixSeconds } from '@farebox/contracts';
import type { CheckProgress } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import { FAREBOX_VERSION } from '@farebox/observability';
import type { QueueState, Status } from './read-status';

export type StatusReport = ReturnType<typeof toStatusReport>;

/** The status as a script sees it. Seconds are whole. */
export function toStatusReport({
  database,
  gateways,
  money,
  lastCheck,
  wholeCheck,
  partitions,
  outbox,
  queues,
}: Status) {
  return {
    versions: { farebox: FAREBOX_VERSION, postgres: database.version, redis: queues.redisVersion },
    migrations: { applied: database.migrations, newest: database.newestMigration },
    catalog_version: database.catalogVersion,
    queues: { kept_in: queues.keptIn, queues: toQueueReports(queues) },
    outbox: { rows: outbox.rows, oldest_seconds: Math.floor(outbox.oldestSeconds) },
    holds: {
      open: money.holds.count,
      amount: toDecimalUsd(money.holds.amountNano),
      currency: 'usd',
      oldest_seconds: Math.floor(money.holds.oldestSeconds),
    },
    open_reviews: money.openReviews,
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

/** Null where the queues cannot be read. */
function toQueueReports({ measures }: QueueState) {
  if (!measures) return null;
  return measures.map(({ oldestWaitingMs, ...measure }) => ({
    ...measure,
    oldest_waiting_seconds: Math.floor(oldestWaitingMs / 1_000),
  }));
}

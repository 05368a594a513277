import { toUnixSeconds } from '@farebox/contracts';
import { openAllQueues, type JobBackend, type QueueMeasure } from '@farebox/jobs';
import {
  readCheckProgress,
  readLastCheck,
  readMoneyAtRisk,
  readPartitionReach,
  type CheckProgress,
  type LastCheck,
  type MoneyAtRisk,
  type PartitionReach,
} from '@farebox/ledger';
import { readOutboxBacklog, type OutboxBacklog } from '@farebox/mail';
import type { Pool } from 'pg';
import { type CommandRows, readJobBackend } from '../command-run';
import { readRedisFacts } from '../doctor/check-services';
import { describeStatus, toStatusReport } from './status-report';

export const statusCommands: CommandRows = {
  status: {
    help:
      'show how the service stands: queues, holds, gateways, lag, versions. Reads REDIS_URL as the worker does; ' +
      'exit code 1 if the queues cannot be read.',
    examples: ['admin status', 'admin status --json'],
    run:
      ({ read, surroundings }) =>
      () =>
        read(async (pool) => {
          const status = await readStatus(pool, readJobBackend(surroundings.environment));
          const json = toStatusReport(status);
          const text = describeStatus(json, toUnixSeconds(new Date()));
          return { json, text, exitCode: json.queues.queues === null ? 1 : 0 };
        }),
  },
};

/** How the whole service stands. */
export interface Status {
  database: DatabaseState;
  gateways: GatewayLease[];
  money: MoneyAtRisk;
  /** Undefined if the books were never checked. */
  lastCheck: LastCheck | undefined;
  /** Undefined if no check of all books has begun. */
  wholeCheck: CheckProgress | undefined;
  partitions: PartitionReach;
  outbox: OutboxBacklog;
  queues: QueueState;
}

export interface QueueState {
  keptIn: JobBackend['kind'];
  /** Null if they are kept in PostgreSQL. */
  redisVersion: string | null;
  /** Undefined if they cannot be read now. */
  measures: QueueMeasure[] | undefined;
}

/** Reads PostgreSQL, and the queues if they can be read. */
async function readStatus(pool: Pool, backend: JobBackend): Promise<Status> {
  const [database, gateways, money, lastCheck, wholeCheck, partitions, outbox, queues] = await Promise.all([
    readDatabaseState(pool),
    readGateways(pool),
    readMoneyAtRisk(pool),
    readLastCheck(pool),
    readCheckProgress(pool),
    readPartitionReach(pool),
    readOutboxBacklog(pool),
    readQueues(backend),
  ]);
  return { database, gateways, money, lastCheck, wholeCheck, partitions, outbox, queues };
}

/** Redis may be down: the rest of the service does not need it. */
async function readQueues(backend: JobBackend): Promise<QueueState> {
  const queues = openAllQueues(backend);
  try {
    const redisVersion = backend.kind === 'redis' ? (await readRedisFacts(backend.url)).version : null;
    return { keptIn: backend.kind, redisVersion, measures: await queues.measure() };
  } catch {
    return { keptIn: backend.kind, redisVersion: null, measures: undefined };
  } finally {
    await queues.close();
  }
}

/** The database as it is now, and how far the worker is with it. */
interface DatabaseState {
  version: string;
  migrations: number;
  newestMigration: string | null;
  catalogVersion: number;
  /** Usage before this hour is summed; null if none is. */
  usageSummedBefore: Date | null;
  /** Since then: up to two hours if the worker keeps up. */
  usageLagSeconds: number | null;
}

async function readDatabaseState(db: Pick<Pool, 'query'>): Promise<DatabaseState> {
  const { rows } = await db.query<DatabaseState>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
            m.migrations, m."newestMigration",
            coalesce((SELECT version FROM catalog_state), 0) AS "catalogVersion",
            u.summed_before AS "usageSummedBefore",
            extract(epoch FROM clock_timestamp() - u.summed_before)::float8 AS "usageLagSeconds"
     FROM (SELECT count(*)::int AS migrations, max(migration_name) AS "newestMigration"
           FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL) m
     LEFT JOIN usage_sum_state u ON u.summed_before > 'epoch'`,
  );
  const [state] = rows;
  if (!state) throw new Error('PostgreSQL answered no row');
  return state;
}

/** A gateway process, as it said last that it lives. */
interface GatewayLease {
  id: string;
  startedAt: Date;
  leaseExpiresAt: Date;
  /** One whose lease has lapsed is gone: the worker sweeps its holds, and deletes its row. */
  isLive: boolean;
  holds: number;
}

const MOST_SHOWN = 100;

/** Newest first. */
async function readGateways(db: Pick<Pool, 'query'>): Promise<GatewayLease[]> {
  const { rows } = await db.query<GatewayLease>(
    `SELECT g.id, g.started_at AS "startedAt", g.lease_expires_at AS "leaseExpiresAt",
            g.lease_expires_at > clock_timestamp() AS "isLive", coalesce(h.holds, 0) AS holds
     FROM gateway_instance g
     LEFT JOIN (SELECT gateway_instance_id, count(*)::int AS holds FROM hold GROUP BY 1) h
       ON h.gateway_instance_id = g.id
     ORDER BY g.started_at DESC, g.id DESC LIMIT $1`,
    [MOST_SHOWN],
  );
  return rows;
}

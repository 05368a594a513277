import { countOpenDisputes } from '@farebox/billing';
import type { Environment } from '@farebox/config';
import { findOpenSchedule } from '@farebox/catalog';
import { openAllQueues, type JobBackend } from '@farebox/jobs';
import { readCheckProgress, readLastCheck, readMoneyAtRisk, readPartitionReach } from '@farebox/ledger';
import { readOutboxBacklog } from '@farebox/mail';
import type { Pool } from 'pg';
import { readRedisFacts } from '../redis-facts';
import { readJobBackend } from '../job-queues';
import { readUpstreamHealth } from './upstream-health';
import type { DatabaseState, GatewayLease, QueueState, Status } from './status-report';

/** Reads PostgreSQL, and the queues if they can be read. `secrets`: of upstreams, if they are known here. */
export async function readStatus(
  pool: Pool,
  environment: Environment,
  secrets: Environment | undefined,
): Promise<Status> {
  const backend = readJobBackend(environment);
  const [
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
  ] = await Promise.all([
    readDatabaseState(pool),
    readGateways(pool),
    readMoneyAtRisk(pool),
    countOpenDisputes(pool),
    readLastCheck(pool),
    readCheckProgress(pool),
    readPartitionReach(pool),
    readOutboxBacklog(pool),
    readQueues(backend),
    readUpstreamHealth(pool, secrets),
    findOpenSchedule(pool),
  ]);
  const parts = { database, gateways, money, disputes, lastCheck, wholeCheck, partitions };
  return { ...parts, outbox, queues, upstreams, scheduled };
}

/** Redis may be down, and nothing else needs it. */
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

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
import { readRedisFacts } from '../redis-facts';
import { readDatabaseState, type DatabaseState } from './read-database';
import { readGateways, type GatewayLease } from './read-gateways';

/** How the whole service stands. */
export interface Status {
  database: DatabaseState;
  gateways: GatewayLease[];
  money: MoneyAtRisk;
  /** Undefined where the books were never checked. */
  lastCheck: LastCheck | undefined;
  /** Undefined where no check of all books has begun. */
  wholeCheck: CheckProgress | undefined;
  partitions: PartitionReach;
  outbox: OutboxBacklog;
  queues: QueueState;
}

export interface QueueState {
  keptIn: JobBackend['kind'];
  /** Null where they are kept in PostgreSQL. */
  redisVersion: string | null;
  /** Undefined where they cannot be read now. */
  measures: QueueMeasure[] | undefined;
}

/** Reads PostgreSQL, and the queues where they can be read. */
export async function readStatus(pool: Pool, backend: JobBackend): Promise<Status> {
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

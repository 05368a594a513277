import { startTestRedis } from '@farebox/testing';
import { startServiceOn, type BreakableService } from '../../test/breakable-service';
import type { Disturbance } from '../../test/restartable-process';
import { auditService, resolvedWithinMs } from '../audit/audit-service';
import { startLoad } from '../crash/load';
import { createRandom } from '../random';
import { startCluster, type FailoverDatabase } from './cluster';
import { strike } from './faults';
import type { FailoverOptions } from './options';
import type { ClusterPrograms } from './programs';
import { findingsOf, outagesOf, type FailoverReport, type Fault } from './report';

export interface FailoverRun extends FailoverOptions {
  programs: ClusterPrograms;
  say: (line: string) => void;
  /** Ends the run early, after the current fault. */
  interrupt: AbortSignal;
}

/** As in production. */
const LEASE_MS = 30_000;
const TOKENS_PER_SECOND = 60;
/** Enough for any run. */
const OPENED_WITH_NANO = Array.from({ length: 4 }, () => 1_000_000_000_000n);
const PAUSE_MS = 300;

/** Starts a cluster and the service on it, strikes its nodes again and again, and compares the clients' records with the books. */
export async function runFailoverTest(run: FailoverRun): Promise<FailoverReport> {
  const redis = await startTestRedis();
  try {
    run.say('Starting etcd, two nodes of Patroni, and HAProxy.');
    const database = await startCluster({ ...run, hasSmallDisks: run.fault === 'primary-disk-full' });
    run.say('Starting the service.');
    const harness = await startServiceOn(database, {
      ...{ gateways: run.gateways, leaseMs: LEASE_MS, tokensPerSecond: TOKENS_PER_SECOND },
      ...{ redisUrl: redis.url, openedWithNano: OPENED_WITH_NANO, logFolder: run.logFolder },
    });
    try {
      return await strikeNodes(run, harness, redis.url);
    } finally {
      await harness.close();
    }
  } finally {
    await redis.remove();
  }
}

async function strikeNodes(
  run: FailoverRun,
  harness: BreakableService<FailoverDatabase>,
  redisUrl: string,
): Promise<FailoverReport> {
  const { seed, clients, ttlSeconds, say, interrupt } = run;
  const boundMs = resolvedWithinMs(LEASE_MS);
  const load = startLoad(harness, { seed, clients, patienceMs: boundMs, pauseMs: PAUSE_MS });
  const databaseDisturbances: Disturbance[] = [];
  const random = createRandom(`${seed}/faults`);
  const faults: Fault[] = [];
  while (faults.length < run.times && !interrupt.aborted) {
    const fault = await strike({ kind: run.fault, harness, load, random, ttlSeconds, databaseDisturbances });
    faults.push(fault);
    const progress = `${String(faults.length)} of ${String(run.times)}: ${run.fault}`;
    say(`${progress}, ${lineOf(fault, load.attempts)}`);
    // Another one would lose what only this node's successor has.
    if (fault.standbyAfterMs === undefined) break;
  }
  say('The load ends; waiting for open holds.');
  const unanswered = await load.stop();
  const { attempts } = load;
  const { books, findings } = await auditService(harness, redisUrl, {
    ...{ attempts, unanswered, databaseDisturbances, resolvedWithinMs: boundMs },
  });
  const ended = [...harness.gateways, harness.worker]
    .filter(({ current }) => !current.running)
    .map(({ current }) => `${current.name} has ended by itself`);
  return {
    ...{ options: run, faults, attempts, books },
    findings: [...findingsOf(run.fault, faults, attempts), ...ended, ...findings],
  };
}

function lineOf(fault: Fault, attempts: FailoverReport['attempts']): string {
  const [outage] = outagesOf([fault], attempts);
  const seconds = (ms: number | undefined): string =>
    ms === undefined ? 'not in time' : `after ${(ms / 1_000).toFixed(1)} s`;
  return (
    `${fault.node}; served again ${seconds(outage?.servesAfterMs)}; ` +
    `a synchronous standby again ${seconds(fault.standbyAfterMs)}`
  );
}

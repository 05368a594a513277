import { setTimeout as sleep } from 'node:timers/promises';
import type { BreakableService } from '../../test/breakable-service';
import type { Disturbance } from '../../test/restartable-process';
import { waitUntil } from '../../test/whole-service';
import type { Load } from '../crash/load';
import type { Random } from '../random';
import type { FailoverDatabase } from './cluster';
import { FULL_SECONDS, type FaultKind } from './options';
import type { PatroniNode } from './patroni-node';
import type { Fault } from './report';

/** Beyond Patroni's `ttl`: the election, the promotion and HAProxy's checks, on a slow machine. */
const SERVES_BOUND_MS = 90_000;
const PAUSE_MS = { least: 1_000, most: 6_000 };
const WITHOUT_NODE_MS = 60_000;

export interface FaultContext {
  kind: FaultKind;
  harness: BreakableService<FailoverDatabase>;
  load: Load;
  random: Random;
  ttlSeconds: number;
  /** When the database may not have answered. */
  databaseDisturbances: Disturbance[];
}

/** Lets the load run for a while, strikes a node, waits until every gateway serves again, and heals the cluster. */
export async function strike(context: FaultContext): Promise<Fault> {
  const { kind, harness, load, random, ttlSeconds, databaseDisturbances } = context;
  const { database, gateways } = harness;
  await sleep(random.between(PAUSE_MS.least, PAUSE_MS.most));
  const isPrimary = kind.startsWith('primary');
  const node = await nodeOf(database, isPrimary ? 'leader' : 'sync_standby');
  const fromMs = Date.now();
  const disturbance: Disturbance = { fromMs, untilMs: Infinity };
  databaseDisturbances.push(disturbance);
  // A gateway that cannot renew its lease may be swept.
  for (const gateway of gateways) gateway.disturbances.push(disturbance);
  await begin(kind, node, database);
  const goneAtMs = Date.now();
  if (isPrimary) disturbance.goneAtMs = goneAtMs;
  const silent = (): number[] =>
    [...gateways.keys()].filter((number) => !load.hasServedSince(number, goneAtMs));
  await waitUntil(() => silent().length === 0, ttlSeconds * 1_000 + SERVES_BOUND_MS);
  const silentGateways = silent();
  const primary = (await database.nodeOf('leader'))?.name;
  disturbance.untilMs = Date.now();

  const backFromMs = Date.now();
  const standbyAfterMs = (await database.heal()) ? Date.now() - backFromMs : undefined;
  return { node: node.name, primary, fromMs, goneAtMs, silentGateways, standbyAfterMs };
}

/** Resolves when the fault is there. A full disk has space again by then. */
async function begin(kind: FaultKind, node: PatroniNode, database: FailoverDatabase): Promise<void> {
  switch (kind) {
    case 'primary-killed':
    case 'standby-killed':
      return node.die();
    case 'primary-frozen':
    case 'standby-frozen':
      node.freeze();
      return;
    case 'nodes-cut':
      database.cutNodes();
      return;
    case 'primary-disk-full':
      node.fillDisk();
      await sleep(FULL_SECONDS * 1_000);
      node.freeDisk();
  }
}

async function nodeOf(database: FailoverDatabase, role: 'leader' | 'sync_standby') {
  let node = await database.nodeOf(role);
  await waitUntil(async () => (node = await database.nodeOf(role)) !== undefined, WITHOUT_NODE_MS);
  if (!node) throw new Error(`The cluster has no ${role}.`);
  return node;
}

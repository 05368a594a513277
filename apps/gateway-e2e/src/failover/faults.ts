import { setTimeout as sleep } from 'node:timers/promises';
import type { BreakableService } from '../../test/breakable-service';
import type { Disturbance } from '../../test/restartable-process';
import { waitUntil } from '../../test/whole-service';
import type { Load } from '../crash/load';
import type { Random } from '../random';
import type { FailoverDatabase } from './cluster';
import type { Kill } from './report';

/** Beyond Patroni's `ttl`: the election, the promotion and HAProxy's checks, on a slow machine. */
const SERVES_BOUND_MS = 90_000;
const PAUSE_MS = { least: 1_000, most: 6_000 };
const WITHOUT_PRIMARY_MS = 60_000;

export interface KillContext {
  harness: BreakableService<FailoverDatabase>;
  load: Load;
  random: Random;
  ttlSeconds: number;
  /** When there was no primary. */
  databaseDisturbances: Disturbance[];
}

/** Lets the load run for a while, kills the primary, waits until every gateway serves again, and starts the node again. */
export async function killPrimary(context: KillContext): Promise<Kill> {
  const { harness, load, random, ttlSeconds, databaseDisturbances } = context;
  const { database, gateways } = harness;
  await sleep(random.between(PAUSE_MS.least, PAUSE_MS.most));
  const killed = await primaryOf(database);
  const fromMs = Date.now();
  const disturbance: Disturbance = { fromMs, untilMs: Infinity };
  databaseDisturbances.push(disturbance);
  // A gateway that cannot renew its lease may be swept.
  for (const gateway of gateways) gateway.disturbances.push(disturbance);
  await killed.die();
  const goneAtMs = Date.now();
  disturbance.goneAtMs = goneAtMs;
  const silent = (): number[] =>
    [...gateways.keys()].filter((number) => !load.hasServedSince(number, goneAtMs));
  await waitUntil(() => silent().length === 0, ttlSeconds * 1_000 + SERVES_BOUND_MS);
  const silentGateways = silent();
  const promoted = (await database.primary())?.name;
  disturbance.untilMs = Date.now();

  const backFromMs = Date.now();
  const isStandby = await database.bringBack(killed);
  const standbyAfterMs = isStandby ? Date.now() - backFromMs : undefined;
  return { node: killed.name, promoted, fromMs, goneAtMs, silentGateways, standbyAfterMs };
}

async function primaryOf(database: FailoverDatabase) {
  let primary = await database.primary();
  await waitUntil(async () => (primary = await database.primary()) !== undefined, WITHOUT_PRIMARY_MS);
  if (!primary) throw new Error('The cluster has no primary.');
  return primary;
}

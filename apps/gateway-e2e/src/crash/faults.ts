import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random';
import type { Load } from './load';
import { waitUntil } from '../../test/whole-service';
import type { BreakableService, Gateway } from '../../test/breakable-service';

/** Faults to inject into the service. */
export const FAULTS = {
  gateway_killed: 'a gateway killed',
  postgres_crashed: 'PostgreSQL crashed',
  unflushed_lost: 'PostgreSQL crashed, with nothing of some time before on the disk',
  postgres_and_gateway: 'PostgreSQL crashed and a gateway killed',
  backends_ended: "the ledger connections' server processes ended",
  worker_killed: 'the worker killed',
  gateway_paused: 'a gateway stopped, for some time, and continued',
  postgres_away: 'PostgreSQL crashed and away for seconds',
} as const;

export type FaultKind = keyof typeof FAULTS;

/** Slow faults are rarer. */
const WEIGHTED: readonly [FaultKind, ...FaultKind[]] = [
  ...['gateway_killed', 'gateway_killed', 'gateway_killed'],
  ...['postgres_crashed', 'postgres_crashed', 'postgres_crashed'],
  ...['unflushed_lost', 'unflushed_lost'],
  ...['postgres_and_gateway', 'postgres_and_gateway'],
  ...['backends_ended', 'backends_ended'],
  ...['worker_killed', 'gateway_paused', 'gateway_paused', 'postgres_away'],
] as [FaultKind, ...FaultKind[]];

/** The fault of each round: each kind once, in any order, then random ones. */
export function planFaults(random: Random, rounds: number): FaultKind[] {
  const once = random.shuffle(Object.keys(FAULTS) as FaultKind[]);
  return Array.from({ length: rounds }, (_, round) => once[round] ?? random.pick(WEIGHTED));
}

export interface Round {
  fault: FaultKind;
  /** From the start of the fault until everything that was stopped is back. */
  faultMs: number;
  /** From then until every gateway has answered a new request. */
  recoveryMs: number;
  /** The gateways that did not do so in time. */
  silentGateways: number[];
}

/**
 * Every gateway must serve again within this time after a fault. Source: the crash test's task, and faults.
 */
const RECOVERY_BOUND_MS = 10_000;
const PAUSE_MS = { least: 200, most: 1_200 };

/** Lets the load run for a while, injects the fault, and checks that every gateway serves again. */
export async function runRound(context: FaultContext, load: Load, fault: FaultKind): Promise<Round> {
  const { random, harness } = context;
  await sleep(random.between(PAUSE_MS.least, PAUSE_MS.most));
  const startedAtMs = Date.now();
  await DO_FAULT[fault](context);
  const backAtMs = Date.now();
  const silent = (): number[] =>
    [...harness.gateways.keys()].filter((number) => !load.hasServedSince(number, backAtMs));
  await waitUntil(() => silent().length === 0, RECOVERY_BOUND_MS);
  return {
    fault,
    faultMs: backAtMs - startedAtMs,
    recoveryMs: Date.now() - backAtMs,
    silentGateways: silent(),
  };
}

export interface FaultContext {
  harness: BreakableService;
  random: Random;
  leaseMs: number;
  /** The number of a gateway that is neither killed nor paused. Default: none. */
  spared?: number | undefined;
}

/** Longer than the five seconds after which a gateway abandons a charge. */
const AWAY_MS = { least: 5_500, most: 7_500 };
const LONGEST_CRASH_MS = 400;
/** A gateway renews its lease three times per lease, and each try takes at most one second. */
const RENEWAL_TRY_MS = 1_000;

/** Injects the fault, and resolves when everything that was stopped has started again. */
export const DO_FAULT: Record<FaultKind, (context: FaultContext) => Promise<unknown>> = {
  gateway_killed: killAGateway,
  postgres_crashed: (context) => crashPostgres(context, context.random.between(0, LONGEST_CRASH_MS)),
  unflushed_lost: loseUnflushed,
  async postgres_and_gateway(context) {
    const crash = crashPostgres(context, context.random.between(0, LONGEST_CRASH_MS));
    await sleep(context.random.between(0, LONGEST_CRASH_MS));
    await Promise.all([crash, killAGateway(context)]);
  },
  async backends_ended({ harness, random }) {
    for (let times = random.between(1, 4); times > 0; times--) {
      await harness.database.endLedgerBackends();
      await sleep(random.between(0, 200));
    }
  },
  worker_killed: ({ harness }) => harness.worker.killAndStart(),
  gateway_paused: pauseAGateway,
  postgres_away: (context) => crashPostgres(context, context.random.between(AWAY_MS.least, AWAY_MS.most)),
};

function aGateway({ harness, random, spared }: FaultContext): Gateway {
  const mortal = harness.gateways.filter((_, number) => number !== spared);
  const gateway = mortal[random.between(0, mortal.length - 1)];
  if (!gateway) throw new Error('there is no gateway');
  return gateway;
}

function killAGateway(context: FaultContext): Promise<void> {
  return aGateway(context).killAndStart();
}

/** A gateway that could not renew its lease while the database was away may have been swept. */
async function crashPostgres({ harness, leaseMs }: FaultContext, awayMs: number): Promise<void> {
  const fromMs = Date.now();
  await harness.database.crash(awayMs);
  const untilMs = Date.now();
  if (untilMs - fromMs < (leaseMs * 2) / 3 - RENEWAL_TRY_MS) return;
  for (const gateway of harness.gateways) gateway.disturbances.push({ fromMs, untilMs });
}

const LONGEST_UNFLUSHED_MS = 300;

/** Between holds and charges and their flush, and while streams wait for it. */
async function loseUnflushed(context: FaultContext): Promise<void> {
  const { harness, random } = context;
  await harness.database.stopFlushes();
  await sleep(random.between(1, LONGEST_UNFLUSHED_MS));
  await crashPostgres(context, random.between(0, LONGEST_CRASH_MS));
}

/** From well within the lease to well past it; sometimes a worker starts meanwhile and sweeps at once. */
async function pauseAGateway(context: FaultContext): Promise<void> {
  const { harness, random, leaseMs } = context;
  const gateway = aGateway(context);
  const pauseMs = random.between(Math.floor(leaseMs / 2), leaseMs * 2);
  const paused = gateway.pause();
  await sleep(pauseMs);
  if (pauseMs > leaseMs) await harness.worker.killAndStart();
  await sleep(random.between(0, 300));
  gateway.resume(paused);
}

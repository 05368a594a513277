import { setTimeout as sleep } from 'node:timers/promises';
import type { BreakableService, Gateway } from '../../breakable/breakable-service';
import type { Random } from '../../random';
import type { FaultKind } from './fault';

export interface FaultContext {
  stand: BreakableService;
  random: Random;
  leaseMs: number;
}

/** Beyond the five seconds after which a gateway gives a charge up. */
const AWAY_MS = { least: 5_500, most: 7_500 };
const LONGEST_CRASH_MS = 400;
/** A gateway renews its lease three times in its length, and a try at it takes at most a second. */
const RENEWAL_TRY_MS = 1_000;

/** Does the fault, and answers when everything that was ended has been started again. */
export const DO_FAULT: Record<FaultKind, (context: FaultContext) => Promise<unknown>> = {
  gateway_killed: killAGateway,
  postgres_crashed: (context) => crashPostgres(context, context.random.between(0, LONGEST_CRASH_MS)),
  async postgres_and_gateway(context) {
    const crash = crashPostgres(context, context.random.between(0, LONGEST_CRASH_MS));
    await sleep(context.random.between(0, LONGEST_CRASH_MS));
    await Promise.all([crash, killAGateway(context)]);
  },
  async backends_ended({ stand, random }) {
    for (let times = random.between(1, 4); times > 0; times--) {
      await stand.database.endLedgerBackends();
      await sleep(random.between(0, 200));
    }
  },
  worker_killed: ({ stand }) => stand.worker.killAndStart(),
  gateway_paused: pauseAGateway,
  postgres_away: (context) => crashPostgres(context, context.random.between(AWAY_MS.least, AWAY_MS.most)),
};

function aGateway({ stand, random }: FaultContext): Gateway {
  const gateway = stand.gateways[random.between(0, stand.gateways.length - 1)];
  if (!gateway) throw new Error('there is no gateway');
  return gateway;
}

function killAGateway(context: FaultContext): Promise<void> {
  return aGateway(context).killAndStart();
}

/** A gateway that could not renew its lease while the database was away may have been swept. */
async function crashPostgres({ stand, leaseMs }: FaultContext, awayMs: number): Promise<void> {
  const fromMs = Date.now();
  await stand.database.crash(awayMs);
  const untilMs = Date.now();
  if (untilMs - fromMs < (leaseMs * 2) / 3 - RENEWAL_TRY_MS) return;
  for (const gateway of stand.gateways) gateway.disturbances.push({ fromMs, untilMs });
}

/** From well within the lease to well past it; at times a worker comes meanwhile, and sweeps at once. */
async function pauseAGateway(context: FaultContext): Promise<void> {
  const { stand, random, leaseMs } = context;
  const gateway = aGateway(context);
  const pauseMs = random.between(Math.floor(leaseMs / 2), leaseMs * 2);
  const paused = gateway.pause();
  await sleep(pauseMs);
  if (pauseMs > leaseMs) await stand.worker.killAndStart();
  await sleep(random.between(0, 300));
  gateway.resume(paused);
}

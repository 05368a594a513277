import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from '../load/load';
import { waitUntil } from '../../wait-until';
import { DO_FAULT, type FaultContext } from './do-fault';
import type { FaultKind } from './fault';

export interface Round {
  fault: FaultKind;
  /** From the first moment of the fault until all that was ended was back. */
  faultMs: number;
  /** From then until every gateway had answered a request that was sent after it. */
  recoveryMs: number;
  /** The gateways that did not, in time. */
  silentGateways: number[];
}

/** Within this time after a fault every gateway must serve again. Source: the crash test's task, and faults. */
const RECOVERY_BOUND_MS = 10_000;
const PAUSE_MS = { least: 200, most: 1_200 };

/** Lets the load go on for a while, does the fault, and sees every gateway serve again. */
export async function runRound(context: FaultContext, load: Load, fault: FaultKind): Promise<Round> {
  const { random, stand } = context;
  await sleep(random.between(PAUSE_MS.least, PAUSE_MS.most));
  const startedAtMs = Date.now();
  await DO_FAULT[fault](context);
  const backAtMs = Date.now();
  const silent = (): number[] =>
    [...stand.gateways.keys()].filter((number) => !load.hasServedSince(number, backAtMs));
  await waitUntil(() => silent().length === 0, RECOVERY_BOUND_MS);
  return {
    fault,
    faultMs: backAtMs - startedAtMs,
    recoveryMs: Date.now() - backAtMs,
    silentGateways: silent(),
  };
}

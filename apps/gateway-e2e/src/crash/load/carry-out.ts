import { setTimeout as sleep } from 'node:timers/promises';
import type { Unanswered } from '../../audit/evidence';
import { isBillingError, isReplay, type Told } from '../../clients/attempt';
import type { Random } from '../../random';
import type { PlannedRequest } from './planned-request';

/** How a client gets what it planned to ask for. */
export interface Carrier {
  random: Random;
  /** Sends it once more, to some gateway. */
  send: (request: PlannedRequest, mayHangUp: boolean) => Promise<Told>;
  now: () => number;
  /** When a client gives up an Idempotency-Key that is not answered; it does not while there is load. */
  givesUpAtMs: () => number;
}

const RETRY_PAUSE_MS = { least: 100, most: 500 };
/** A client that is told so three times believes that it is withheld. */
const MAX_BILLING_ERRORS = 3;

/**
 * Sends a request: once, or under its Idempotency-Key until it is answered, and then at times once more. Answers with
 * what is left unanswered, where something is.
 */
export async function carryOut(carrier: Carrier, request: PlannedRequest): Promise<Unanswered | undefined> {
  const { random, send, now, givesUpAtMs } = carrier;
  const told = await Promise.all(Array.from({ length: request.copies }, () => send(request, true)));
  if (request.idempotencyKey === undefined) return undefined;

  let lastTold = told.find(isFinal) ?? told[0];
  let billingErrors = 0;
  while (!lastTold || !isFinal(lastTold)) {
    if (lastTold && isBillingError(lastTold) && ++billingErrors === MAX_BILLING_ERRORS) return undefined;
    if (lastTold && now() > givesUpAtMs()) return { key: request.idempotencyKey, lastTold };
    await sleep(random.between(RETRY_PAUSE_MS.least, RETRY_PAUSE_MS.most));
    lastTold = await send(request, false);
  }
  if (random.chance(0.5)) await send(request, false);
  return undefined;
}

/** Whether asking again would give the same. */
function isFinal(told: Told): boolean {
  return told.kind === 'answered' || (isReplay(told) && !isBillingError(told));
}

import type { TokenUsage } from '@farebox/catalog';
import { byteLengthOf } from '@farebox/http';
import type { LongAnswer } from '../upstream/long-answer';
import type { Charge } from './charged-usage';
import { toKeptItems } from './kept-items';
import type { Hold, PaidClient } from './terms';

/**
 * Runs the work that a hold was placed for. However that ends, the hold does not stay open: work that neither charged
 * nor released it delivered nothing that it could price.
 */
export async function withHold(hold: Hold, use: (hold: Hold) => Promise<void>): Promise<void> {
  try {
    await use(hold);
  } finally {
    if (hold.isOpen()) await hold.release();
  }
}

/** Ends the hold of a request whose customer left before any of its response was written. */
export async function abandon(
  hold: Hold,
  estimate: (askedForMs: number) => Promise<TokenUsage>,
): Promise<void> {
  const askedForMs = hold.askedForMs();
  if (askedForMs === undefined) await hold.release();
  else await hold.abandon(await estimate(askedForMs));
}

/** A request with its whole response. */
export interface AnsweredRequest {
  hold: Hold;
  client: Pick<PaidClient, 'gone' | 'sendWhole' | 'keptItems'>;
  longAnswer: LongAnswer;
}

/**
 * The last steps of every whole response: charge it, keep it if it is not too long, then send it. The charge is
 * refunded if the customer left before any of it was written and cannot ask for it again.
 */
export async function chargeAndSend(
  { hold, client, longAnswer }: AnsweredRequest,
  charge: Charge,
  body: string | Buffer[],
): Promise<void> {
  if (client.gone.aborted && hold.longestKept === undefined) {
    await hold.abandon(charge);
    return;
  }
  await hold.charge(charge, () => {
    if (hold.keepsItems) return toKeptItems(client);
    return byteLengthOf(body) <= (hold.longestKept ?? 0) ? { kind: 'whole', body } : undefined;
  });
  const sending = client.sendWhole(body);
  // The customer may take minutes to read it, so it counts as unwritten memory.
  longAnswer.leave();
  if (!(await sending)) await hold.refund();
}

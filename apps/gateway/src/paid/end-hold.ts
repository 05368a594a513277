import type { TokenUsage } from '@farebox/catalog';
import { byteLengthOf } from '@farebox/http';
import type { LongAnswer } from '../upstream/long-answer';
import type { Charge } from './charged-usage';
import { toKeptItems } from './kept-items';
import type { Hold, PaidClient } from './terms';

/**
 * Runs what a hold was placed for. However that ends, the hold is not left open: what neither charged nor released it
 * delivered nothing that it could tell the price of.
 */
export async function withHold(hold: Hold, use: (hold: Hold) => Promise<void>): Promise<void> {
  try {
    await use(hold);
  } finally {
    if (hold.isOpen()) await hold.release();
  }
}

/** Ends the hold of a request whose customer has left before anything of its response was written. */
export async function abandon(
  hold: Hold,
  estimate: (askedForMs: number) => Promise<TokenUsage>,
): Promise<void> {
  const askedForMs = hold.askedForMs();
  if (askedForMs === undefined) await hold.release();
  else await hold.abandon(await estimate(askedForMs));
}

/** A request whose response in one piece is there. */
export interface AnsweredRequest {
  hold: Hold;
  client: Pick<PaidClient, 'gone' | 'sendWhole' | 'keptItems'>;
  longAnswer: LongAnswer;
}

/**
 * The last steps of every response in one piece: charged, and kept if it is not too long, then sent. The charge is given
 * back if the customer has gone before any of it was written and cannot ask for it again.
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
  // The customer may take minutes to read it: it is counted with all that is unwritten.
  longAnswer.leave();
  if (!(await sending)) await hold.refund();
}

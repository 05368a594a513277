import type pg from 'pg';
import { ChargeHandedOverError, LedgerUnavailableError } from './ledger-error';
import { openReview } from './reviews';
import type { Usage } from './settlement';
import type { UntilDone } from './until-done';

/** A charge whose outcome is not known: what was measured, without the answer, which was not given. */
export interface FailedCharge {
  holdId: string;
  accountId: string;
  usage: Omit<Usage, 'answer'>;
}

export interface FailedChargesOptions {
  pool: pg.Pool;
  untilDone: UntilDone;
  /** See `GatewayLedgerOptions`. */
  handOver: ((charge: FailedCharge) => Promise<void>) | undefined;
}

/**
 * Sees that a charge that the database did not take becomes a review, however late: somebody else is given it, or it is
 * kept here and tried again. Answers with what the caller is to be told; never rejects.
 */
export async function passOnFailedCharge(
  { pool, untilDone, handOver }: FailedChargesOptions,
  charge: FailedCharge,
  failure: unknown,
): Promise<unknown> {
  const keepTrying = (): void => {
    untilDone.add(() => openReview(pool, charge));
  };
  if (!handOver) {
    keepTrying();
    return failure;
  }
  const told = failure instanceof Error ? failure.message : String(failure);
  try {
    await handOver(charge);
    return new ChargeHandedOverError(told, { cause: failure });
  } catch (cause) {
    keepTrying();
    return new LedgerUnavailableError(`${told}; nor could the charge be handed over`, { cause });
  }
}

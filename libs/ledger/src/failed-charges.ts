import type pg from 'pg';
import { concludeCharge } from './conclude-charge';
import { ChargeHandedOverError, LedgerUnavailableError } from './ledger-error';
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
  /** So long after it was handed over, this process sees to it as well: whoever had it may have lost it. */
  handOverGraceMs: number;
}

/**
 * Sees that a charge that the database did not take becomes a review, however late: somebody else is given it, or it is
 * kept here and tried again. Answers with what the caller is to be told; never rejects.
 */
export async function passOnFailedCharge(
  { pool, untilDone, handOver, handOverGraceMs }: FailedChargesOptions,
  charge: FailedCharge,
  failure: unknown,
): Promise<unknown> {
  const keepTrying = (): void => {
    untilDone.add(() => concludeCharge(pool, charge));
  };
  if (!handOver) {
    keepTrying();
    return failure;
  }
  const told = failure instanceof Error ? failure.message : String(failure);
  try {
    await handOver(charge);
    setTimeout(keepTrying, handOverGraceMs).unref();
    return new ChargeHandedOverError(told, { cause: failure });
  } catch (cause) {
    keepTrying();
    return new LedgerUnavailableError(`${told}; nor could the charge be handed over`, { cause });
  }
}

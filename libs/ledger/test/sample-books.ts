import { toNanoUsd } from '@farebox/money';
import { givenAccount, givenApiKey, type TestDatabase, PATIENT_LEDGER } from '@farebox/testing';
import { adjustBalance } from '../src/account-funds';
import { openGatewayLedger, type GatewayLedger } from '../src/gateway-ledger';
import { openReview, resolveReview } from '../src/reviews';
import { anAdmission, aUsage } from './ledger-harness';

/** The books of one account, with every kind of row in every table of the ledger. */
export interface SampleBooks {
  ledger: GatewayLedger;
  accountId: string;
  apiKeyId: string;
  /** Charged 30 of 50, under the Idempotency-Key `answered`. */
  chargedId: string;
  /** Charged 20 of 20, and refunded. */
  refundedId: string;
  /** In review: 15 of 20 stay reserved. */
  inReviewId: string;
  /** Charged 12 of 20, by the resolution of its review. */
  chargedReviewId: string;
  /** Running: 10 are held, under the Idempotency-Key `under-way`. */
  heldId: string;
  close(): Promise<void>;
}

/** Actions of the services run under their role, those of the operator as the owner. */
export async function givenSampleBooks(db: TestDatabase): Promise<SampleBooks> {
  const accountId = await givenAccount(db.pool, { balanceNano: 1_000n });
  const apiKeyId = await givenApiKey(db.pool, accountId);
  await adjustBalance(db.pool, {
    accountId,
    amountNano: toNanoUsd(-100n),
    reason: 'a sample',
    reference: `sample-${accountId}`,
    madeBy: 'ada',
  });
  const ledger = await openGatewayLedger({
    ...PATIENT_LEDGER,
    databaseUrl: db.serviceUrl,
    pool: db.servicePool,
    onLeaseError: (error) => {
      throw error;
    },
  });

  const hold = async (amountNano: bigint, idempotencyKey?: string): Promise<string> => {
    const idempotency =
      idempotencyKey === undefined ? undefined : { key: idempotencyKey, fingerprint: Buffer.alloc(32, 1) };
    const admission = anAdmission({ accountId, apiKeyId }, amountNano, { idempotency });
    const { outcome } = await ledger.admit(admission);
    if (outcome !== 'admitted') throw new Error(`the sample was not admitted: ${outcome}`);
    return admission.holdId;
  };
  const chargedId = await hold(50n, 'answered');
  await ledger.settle({
    holdId: chargedId,
    accountId,
    usage: { ...aUsage(30n), answer: Buffer.from('an answer') },
  });
  const refundedId = await hold(20n);
  await ledger.settle({ holdId: refundedId, accountId, usage: aUsage(20n) });
  await ledger.refund(refundedId);
  const inReviewId = await hold(20n);
  await openReview(db.servicePool, { holdId: inReviewId, accountId, usage: aUsage(15n) });
  const chargedReviewId = await hold(20n);
  await openReview(db.servicePool, { holdId: chargedReviewId, accountId, usage: aUsage(12n) });
  await resolveReview(db.pool, chargedReviewId, { resolution: 'charge', resolvedBy: 'ada' });
  const heldId = await hold(10n, 'under-way');

  const close = (): Promise<void> => ledger.close();
  return { ledger, accountId, apiKeyId, chargedId, refundedId, inReviewId, chargedReviewId, heldId, close };
}

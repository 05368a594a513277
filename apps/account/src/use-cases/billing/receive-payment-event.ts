import type { Logger } from '@farebox/observability';
import { applyPaymentEvent, type PaymentEvent, type PaymentOutcome } from '@farebox/payments';
import type { Pool } from 'pg';

/** Money came, and an operator must look what it was for. */
const FOR_AN_OPERATOR: ReadonlySet<PaymentOutcome> = new Set(['mismatched', 'unknown_checkout']);

/** Applies what the payment provider tells, once, and says in the log what came of it. */
export async function receivePaymentEvent(
  { pool, log }: { pool: Pool; log: Logger },
  event: PaymentEvent,
): Promise<void> {
  const outcome = await applyPaymentEvent(pool, event);
  const { id, type } = event;
  const fields = { event: 'payment_event', payment_event_id: id, payment_event_type: type, outcome };
  if (FOR_AN_OPERATOR.has(outcome)) log.error(fields, 'a payment does not match its checkout');
  else log.info(fields, 'payment event received');
}

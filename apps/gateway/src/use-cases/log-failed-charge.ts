import { ChargeHandedOverError, type Usage } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';

/** Whose charge it is. */
export interface FailedChargeIds {
  requestId: string;
  holdId: string;
  accountId: string;
  modelId: string;
}

/**
 * Says of a charge that failed where it is now: handed over, so that a review comes of it, or nowhere but in this line
 * and in this process's memory. Then the line has all that was measured.
 */
export function logFailedCharge(
  log: Logger,
  { requestId, holdId, accountId, modelId }: FailedChargeIds,
  usage: Usage,
  error: unknown,
): void {
  const ids = { request_id: requestId, hold_id: holdId, account_id: accountId, model: modelId };
  if (error instanceof ChargeHandedOverError) {
    log.warn(
      { event: 'charge_handed_over', ...ids, amount_nano: usage.measuredCostNano, error },
      'a charge could not be recorded and waits for its review',
    );
    return;
  }
  const measured = {
    amount_nano: usage.measuredCostNano,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    outcome: usage.outcome,
    stream: usage.streamed,
    estimated: usage.estimated,
    duration_ms: usage.latencyMs,
    first_token_ms: usage.firstTokenMs,
  };
  log.error({ event: 'charge_unrecorded', ...ids, ...measured, error }, 'a charge could not be recorded');
}

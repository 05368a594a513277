import { ApiError } from '@farebox/errors';
import type { AnswerCipher, AnswerClaim, GatewayLedger, KeptBytes } from '@farebox/ledger';
import type { Logger } from '@farebox/observability';
import { toLedgerError } from './hold';
import { decryptAnswer } from './keep-answer';
import type { KeptAnswer } from './kept-answer';

export interface KeptAnswerDeps {
  ledger: GatewayLedger;
  answers: AnswerCipher;
  log: Logger;
}

/**
 * The answer of a request that was charged before; undefined if it is not kept any more. Throws
 * `service_unavailable` if the database cannot answer, and `billing_error` if the answer cannot be read: it was
 * charged, so the request must not run, and be charged, again. `requestId` is of the request that repeats it.
 */
export async function readKeptAnswer(
  { ledger, answers, log }: KeptAnswerDeps,
  claim: AnswerClaim,
  requestId: string,
): Promise<KeptAnswer | undefined> {
  let kept: KeptBytes | undefined;
  try {
    kept = await ledger.readAnswer(claim);
  } catch (cause) {
    throw toLedgerError(cause);
  }
  if (!kept) return undefined;
  try {
    return decryptAnswer(answers, claim.holdId, kept);
  } catch (error) {
    const ids = { request_id: requestId, hold_id: claim.holdId };
    log.error({ event: 'kept_answer_unreadable', ...ids, error }, 'a kept answer cannot be read');
    throw new ApiError('billing_error', {
      message: 'The request was charged before, and its answer cannot be given again. Do not retry it.',
      cause: error,
    });
  }
}

import { openReview } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { waitUntil } from '@farebox/testing';
import { type GatewayHarness } from './gateway-harness';

/** What the review of a lost charge reserves. */
const RESERVED_NANO = toNanoUsd(1_000n);

/**
 * Makes a review of the hold that an account has now, or will have in a moment, under the gateway that placed it: the
 * charge finds no hold and cannot be recorded. Answers with the id of hold and review.
 */
export async function loseCharge({ db }: GatewayHarness, accountId: string): Promise<string> {
  let holdId = '';
  await waitUntil(async () => {
    const { rows } = await db.pool.query<{ id: string }>('SELECT id FROM hold WHERE account_id = $1', [
      accountId,
    ]);
    holdId = rows[0]?.id ?? '';
    return holdId !== '';
  }, 'the request is held');
  const usage = {
    measuredCostNano: RESERVED_NANO,
    promptTokens: 1,
    completionTokens: 0,
    outcome: 'completed' as const,
    streamed: false,
    estimated: false,
    latencyMs: 1,
  };
  expect(await openReview(db.pool, { holdId, accountId, usage })).toBe(true);
  return holdId;
}

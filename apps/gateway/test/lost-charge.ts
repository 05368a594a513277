import { openReview } from '@farebox/ledger';
import { toNanoUsd } from '@farebox/money';
import { waitUntil } from '@farebox/testing';
import { type GatewayHarness } from './gateway-harness';

/** The amount that the review of a lost charge reserves. */
const RESERVED_NANO = toNanoUsd(1_000n);

/**
 * Opens a review of an account's current or next hold, which takes it away from the gateway that placed it:
 * the charge finds no hold and cannot be recorded. Returns the id of the hold, which is that of the review
 * too.
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

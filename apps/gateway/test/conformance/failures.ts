import { createApiKeySecret } from '@farebox/auth';
import type { ErrorCode } from '@farebox/errors';
import { waitUntil } from '@farebox/testing';
import { type GatewayHarness } from '../gateway-harness';
import { loseCharge } from '../lost-charge';

/** A request that each client can make. */
export interface Asked {
  apiKey: string;
  model: string;
  prompt?: string;
  maxTokens?: number;
  idempotencyKey?: string;
}

/** Every code except those of the account endpoints. */
export type VisibleCode = Exclude<ErrorCode, 'api_key_not_found' | 'api_key_revoked'>;

type Ask = (asked: Asked) => Promise<unknown>;
/** Makes a client receive a failure, and returns what that client got. */
type Provoke = (harness: GatewayHarness, ask: Ask) => Promise<unknown>;

const LONGER_THAN_A_BODY = 4 * 1024 * 1024;

/** How the holder of a key can get each code that they can see. */
export const PROVOKE: Record<VisibleCode, Provoke> = {
  invalid_request_error: (harness, ask) => ofKey(harness, ask, { idempotencyKey: 'x'.repeat(256) }),
  authentication_error: (_stand, ask) => ask({ apiKey: 'sk-another-kind', model: 'echo' }),
  invalid_api_key: (_stand, ask) => ask({ apiKey: createApiKeySecret(), model: 'echo' }),
  async expired_api_key(harness, ask) {
    const { secret: apiKey } = await harness.givenKey({}, { expiresAt: new Date(0) });
    return ask({ apiKey, model: 'echo' });
  },
  async insufficient_funds(harness, ask) {
    const { secret: apiKey } = await harness.givenKey({ balanceNano: 100n });
    return ask({ apiKey, model: 'echo' });
  },
  async beta_access_required(harness, ask) {
    const { secret: apiKey } = await harness.givenKey({ inviteStatus: 'suspended' });
    return ask({ apiKey, model: 'echo' });
  },
  async model_not_allowed(harness, ask) {
    const { secret: apiKey, apiKeyId } = await harness.givenKey();
    const sql = `UPDATE api_key SET model_policy_mode = 'block', model_policy_models = '{echo,embed}' WHERE id = $1`;
    await harness.db.pool.query(sql, [apiKeyId]);
    return ask({ apiKey, model: 'echo' });
  },
  model_not_found: (harness, ask) => ofKey(harness, ask, { model: 'missing' }),
  async idempotency_conflict(harness, ask) {
    const { secret: apiKey } = await harness.givenKey();
    await ask({ apiKey, model: 'echo', idempotencyKey: 'spent' });
    return ask({ apiKey, model: 'echo', idempotencyKey: 'spent', prompt: 'Something else.' });
  },
  async idempotency_in_progress(harness, ask) {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const asked = { apiKey, model: 'slow-3000', idempotencyKey: 'running' };
    const first = ask(asked);
    await waitUntil(() => isHeld(harness, accountId), 'the first request is held');
    const second = ask(asked);
    await Promise.allSettled([first, second]);
    return second;
  },
  request_too_large: (harness, ask) => ofKey(harness, ask, { prompt: ' '.repeat(LONGER_THAN_A_BODY) }),
  async rate_limit_error(harness, ask) {
    const { secret: apiKey } = await harness.givenKey({ dailyRequestCap: 0 });
    return ask({ apiKey, model: 'echo' });
  },
  async spending_limit_exceeded(harness, ask) {
    const { secret: apiKey } = await harness.givenKey({}, { monthlySpendLimitNano: 1n });
    return ask({ apiKey, model: 'echo' });
  },
  async internal_error(harness, ask) {
    const { secret: apiKey } = await harness.givenKey();
    await harness.db.pool.query('REVOKE SELECT ON api_key FROM farebox_app');
    try {
      return await ask({ apiKey, model: 'echo' });
    } finally {
      await harness.db.pool.query('GRANT SELECT ON api_key TO farebox_app');
    }
  },
  async billing_error(harness, ask) {
    const { secret: apiKey, accountId } = await harness.givenKey();
    const asked = ask({ apiKey, model: 'slow-3000' });
    // The caller that awaits the answer handles the failure.
    asked.catch(() => undefined);
    await loseCharge(harness, accountId);
    return asked;
  },
  service_unavailable: (harness, ask) => ofKey(harness, ask, { model: 'refuses-503' }),
  upstream_timeout: (harness, ask) => ofKey(harness, ask, { model: 'slow' }),
};

export const VISIBLE_CODES = Object.keys(PROVOKE) as VisibleCode[];

async function ofKey(harness: GatewayHarness, ask: Ask, more: Partial<Asked>): Promise<unknown> {
  const { secret: apiKey } = await harness.givenKey();
  return ask({ apiKey, model: 'echo', ...more });
}

async function isHeld({ db }: GatewayHarness, accountId: string): Promise<boolean> {
  return (await db.pool.query('SELECT 1 FROM hold WHERE account_id = $1', [accountId])).rowCount === 1;
}

/** Returns the thrown error. */
export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: unknown) => error,
  );
}

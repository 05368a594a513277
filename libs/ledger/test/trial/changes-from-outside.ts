import type pg from 'pg';
import type { Operation } from '../model/operation';

type ApiKeyChange = Extract<Operation, { kind: 'revokeKey' | 'rotateKey' | 'expireKey' | 'setMonthlyLimit' }>;
type InviteChange = Extract<Operation, { kind: 'suspend' | 'activate' }>;

/** Writes like the account service, without the account's lock. */
export async function changeApiKey(operatorPool: pg.Pool, change: ApiKeyChange): Promise<void> {
  const values = change.kind === 'setMonthlyLimit' ? [change.apiKeyId, change.limitNano] : [change.apiKeyId];
  await operatorPool.query(`UPDATE api_key SET ${API_KEY_CHANGES[change.kind]} WHERE id = $1`, values);
}

const API_KEY_CHANGES: Record<ApiKeyChange['kind'], string> = {
  revokeKey: 'revoked_at = clock_timestamp()',
  rotateKey: 'version = version + 1, expires_at = NULL',
  expireKey: `expires_at = clock_timestamp() - interval '1 second'`,
  setMonthlyLimit: 'monthly_spend_limit_nano = $2',
};

/** Writes like the operator, without the account's lock. */
export async function changeInvite(operatorPool: pg.Pool, { kind, accountId }: InviteChange): Promise<void> {
  const status = kind === 'suspend' ? 'suspended' : 'active';
  await operatorPool.query('UPDATE account SET invite_status = $2 WHERE id = $1', [accountId, status]);
}

export async function moveToCohort(
  operatorPool: pg.Pool,
  { accountId, cohortName }: Extract<Operation, { kind: 'moveToCohort' }>,
): Promise<void> {
  await operatorPool.query('UPDATE account SET cohort_name = $2 WHERE id = $1', [accountId, cohortName]);
}

/** Keeps an account locked for a while, without a change. */
export async function lockAccount(
  operatorPool: pg.Pool,
  { accountId, lockMs }: Extract<Operation, { kind: 'lockAccount' }>,
): Promise<void> {
  const text = 'SELECT ledger_lock_accounts($1), pg_sleep($2)';
  await operatorPool.query({ text, values: [[accountId], lockMs / 1_000] });
}

export async function lapseLease(pool: pg.Pool, gatewayId: string): Promise<void> {
  await pool.query(`SELECT ledger_renew_lease($1, interval '-1 second')`, [gatewayId]);
}

export async function renewLease(pool: pg.Pool, gatewayId: string): Promise<void> {
  await pool.query(`SELECT ledger_renew_lease($1, interval '1 day')`, [gatewayId]);
}

/**
 * Lets 24 hours pass for the kept answers of these accounts. In reality that happens to all at the same
 * moment; here the accounts' locks ensure that no answer is stored between the check of the claims and their
 * expiry.
 */
export async function expireAnswers(pool: pg.Pool, accountIds: readonly string[]): Promise<void> {
  const accounts = `'{${accountIds.join(',')}}'::uuid[]`;
  await pool.query(`
    SELECT ledger_lock_accounts(${accounts});
    UPDATE idempotency_claim SET expires_at = clock_timestamp() - interval '1 second'
    WHERE account_id = ANY (${accounts}) AND expires_at > clock_timestamp()`);
}

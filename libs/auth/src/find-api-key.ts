import type { InviteStatus } from '@farebox/database';
import type { Pool } from 'pg';
import { isWellFormedApiKey } from './api-key-secret';
import type { KeyHasher } from './key-hasher';
import { toModelPolicy, type ModelPolicy } from './model-policy';

/** What a secret identifies. A copy may be kept for speed; the decision to admit is made on the row itself. */
export interface ApiKeyIdentity {
  apiKeyId: string;
  accountId: string;
  /** Raised by every change of the key; a copy with an older version is out of date. */
  version: number;
  /** By the database's clock at the time of the look-up. */
  status: 'active' | 'expired' | 'revoked';
  expiresAt: Date | null;
  inviteStatus: InviteStatus;
  cohortName: string;
  modelPolicy: ModelPolicy | null;
}

type Row = Omit<ApiKeyIdentity, 'modelPolicy'> & {
  modelPolicyMode: ModelPolicy['mode'] | null;
  modelPolicyModels: string[];
};

const FIND_API_KEY = `
  SELECT k.id AS "apiKeyId", k.account_id AS "accountId", k.version,
         CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked'
              WHEN k.expires_at <= now() THEN 'expired'
              ELSE 'active' END AS status,
         k.expires_at AS "expiresAt", a.invite_status AS "inviteStatus", a.cohort_name AS "cohortName",
         k.model_policy_mode AS "modelPolicyMode", k.model_policy_models AS "modelPolicyModels"
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.secret_hmac = ANY ($1::bytea[])`;

/**
 * The key that a secret belongs to, revoked and expired ones too; `undefined` for a secret that is not known, which
 * one replaced by rotation is as well. A text that is not well formed costs no look-up.
 */
export async function findApiKey(
  pool: Pool,
  hasher: KeyHasher,
  secret: string,
): Promise<ApiKeyIdentity | undefined> {
  if (!isWellFormedApiKey(secret)) return undefined;
  const { rows } = await pool.query<Row>({
    name: 'auth_find_api_key',
    text: FIND_API_KEY,
    values: [hasher.candidates(secret)],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { modelPolicyMode, modelPolicyModels, ...identity } = row;
  return { ...identity, modelPolicy: toModelPolicy({ modelPolicyMode, modelPolicyModels }) };
}

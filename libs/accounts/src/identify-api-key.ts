import { isWellFormedApiKey, type KeyHasher } from '@farebox/auth';
import type { InviteStatus } from '@farebox/database';
import type { Pool } from 'pg';
import { apiKeyStatus, toModelPolicy, type ApiKey, type ModelPolicyColumns } from './api-keys';

/**
 * What a secret identifies, by the database's clock at the time of the look-up. A copy may be kept for speed; one with an
 * older version is out of date, and the decision to admit is made on the row itself.
 */
export interface ApiKeyIdentity extends Pick<
  ApiKey,
  'accountId' | 'version' | 'status' | 'expiresAt' | 'modelPolicy'
> {
  apiKeyId: string;
  inviteStatus: InviteStatus;
  cohortName: string;
}

type Row = Omit<ApiKeyIdentity, 'modelPolicy' | 'status'> &
  ModelPolicyColumns & { secretHmac: Buffer; revokedAt: Date | null; now: Date };

const FIND_API_KEYS = `
  SELECT k.secret_hmac AS "secretHmac", k.id AS "apiKeyId", k.account_id AS "accountId", k.version,
         k.revoked_at AS "revokedAt", k.expires_at AS "expiresAt", now() AS now, a.invite_status AS "inviteStatus", a.cohort_name AS "cohortName",
         k.model_policy_mode AS "modelPolicyMode", k.model_policy_models AS "modelPolicyModels"
  FROM api_key k JOIN account a ON a.id = k.account_id
  WHERE k.secret_hmac = ANY ($1::bytea[])`;

/**
 * The keys that secrets belong to, in the order of the secrets, revoked and expired ones too; `undefined` for a secret
 * that is not known, which one replaced by rotation is as well. One query for all of them; a text that is not well
 * formed is not in it.
 */
export async function identifyApiKeys(
  pool: Pool,
  hasher: KeyHasher,
  secrets: readonly string[],
): Promise<(ApiKeyIdentity | undefined)[]> {
  const candidates = secrets.map((secret) => (isWellFormedApiKey(secret) ? hasher.candidates(secret) : []));
  const hmacs = candidates.flat();
  if (hmacs.length === 0) return secrets.map(() => undefined);
  const { rows } = await pool.query<Row>({
    name: 'auth_find_api_keys',
    text: FIND_API_KEYS,
    values: [hmacs],
  });
  const found = new Map(rows.map((row) => [row.secretHmac.toString('latin1'), row]));
  return candidates.map((ofOne) => {
    for (const hmac of ofOne) {
      const row = found.get(hmac.toString('latin1'));
      if (row) return toIdentity(row);
    }
    return undefined;
  });
}

/** `identifyApiKeys` for one secret. */
export async function identifyApiKey(
  pool: Pool,
  hasher: KeyHasher,
  secret: string,
): Promise<ApiKeyIdentity | undefined> {
  const [found] = await identifyApiKeys(pool, hasher, [secret]);
  return found;
}

function toIdentity(row: Row): ApiKeyIdentity {
  const { apiKeyId, accountId, version, expiresAt, inviteStatus, cohortName } = row;
  const modelPolicy = toModelPolicy(row);
  const status = apiKeyStatus(row, row.now);
  return { apiKeyId, accountId, version, status, expiresAt, inviteStatus, cohortName, modelPolicy };
}

import { randomBytes } from 'node:crypto';
import { uuidV7 } from '@farebox/ids';
import type pg from 'pg';

type Queryable = Pick<pg.Pool, 'query'>;

export interface GivenAccount {
  /** Nano-dollars on the balance, by one top-up. */
  balanceNano?: bigint;
  inviteStatus?: 'none' | 'invited' | 'active' | 'suspended';
  dailyRequestCap?: number;
  dailySpendCapNano?: bigint;
}

/** An account with its funds: active and empty unless said otherwise. Answers with its id. */
export async function givenAccount(db: Queryable, given: GivenAccount = {}): Promise<string> {
  const id = uuidV7();
  await db.query(
    `INSERT INTO account (id, email, name, invite_status, daily_request_cap, daily_spend_cap_nano)
     VALUES ($1, $2, 'Ada', $3::invite_status, $4, $5)`,
    [id, `${id}@example.com`, given.inviteStatus ?? 'active', given.dailyRequestCap, given.dailySpendCapNano],
  );
  await db.query('INSERT INTO account_funds (account_id) VALUES ($1)', [id]);
  if (given.balanceNano) {
    await db.query(`SELECT ledger_top_up($1, $2, $3, 'manual', $4)`, [
      uuidV7(),
      id,
      given.balanceNano,
      `given-${id}`,
    ]);
  }
  return id;
}

export interface GivenApiKey {
  secretHmac?: Buffer;
  expiresAt?: Date;
  revokedAt?: Date;
  monthlySpendLimitNano?: bigint;
}

/** A live API key without limits unless said otherwise. Answers with its id; its version is 1. */
export async function givenApiKey(
  db: Queryable,
  accountId: string,
  given: GivenApiKey = {},
): Promise<string> {
  const id = uuidV7();
  await db.query(
    `INSERT INTO api_key (id, account_id, name, secret_hmac, pepper_version, hint, expires_at, revoked_at,
                          monthly_spend_limit_nano)
     VALUES ($1, $2, 'test', $3, 1, 'abcd', $4, $5, $6)`,
    [
      id,
      accountId,
      given.secretHmac ?? randomBytes(32),
      given.expiresAt,
      given.revokedAt,
      given.monthlySpendLimitNano,
    ],
  );
  return id;
}

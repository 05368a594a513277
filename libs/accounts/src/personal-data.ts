import type { Queryable } from '@farebox/database';
import type { PoolClient } from 'pg';

/** Changes the name of an account. Returns the former one, or undefined if there is no such account. */
export async function renameAccount(
  accountId: string,
  client: PoolClient,
  name: string,
): Promise<{ before: string } | undefined> {
  const { rows } = await client.query<{ before: string }>(
    `WITH former AS (SELECT id, name FROM account WHERE id = $1 FOR NO KEY UPDATE)
     UPDATE account a SET name = $2 FROM former WHERE a.id = former.id RETURNING former.name AS before`,
    [accountId, name],
  );
  return rows[0];
}

/** Another account has the e-mail address. */
export class EmailTakenError extends Error {}

const UNIQUE_VIOLATION = '23505';

/**
 * Changes the e-mail address of an account, by which its owner signs in, and ends the links that were sent to the
 * former one. Sessions go on. Returns the former one, or undefined if there is no such account. Throws
 * `EmailTakenError`.
 */
export async function changeEmail(
  accountId: string,
  client: PoolClient,
  email: string,
): Promise<{ before: string } | undefined> {
  const { rows } = await client.query<{ before: string }>(
    'SELECT email AS before FROM account WHERE id = $1 FOR NO KEY UPDATE',
    [accountId],
  );
  const [former] = rows;
  if (!former || former.before === email) return former;
  await client.query('SELECT mail_end_links($1)', [accountId]);
  await client.query('UPDATE sign_in_link SET used_at = now() WHERE account_id = $1 AND used_at IS NULL', [
    accountId,
  ]);
  await client
    .query('UPDATE account SET email = $2 WHERE id = $1', [accountId, email])
    .catch((error: unknown) => {
      const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
      throw code === UNIQUE_VIOLATION ? new EmailTakenError('another account has the address') : error;
    });
  return former;
}

/** Removes the person from an account: see `account_erase`. */
export async function eraseAccount(accountId: string, client: PoolClient): Promise<void> {
  await client.query('SELECT account_erase($1)', [accountId]);
}

/** A section of an export: its name, and SQL for its records as JSON, of the account `$1`. */
const SECTIONS: readonly (readonly [name: string, sql: string])[] = [
  [
    'account',
    `SELECT to_jsonb(t) FROM (SELECT id, email, name, language, invite_status, created_at FROM account WHERE id = $1) t`,
  ],
  ['billing_details', `SELECT to_jsonb(t) - 'account_id' FROM billing_details t WHERE account_id = $1`],
  [
    'api_keys',
    `SELECT to_jsonb(t) FROM (
       SELECT id, name, hint, created_at, expires_at, revoked_at, allowed_origins FROM api_key WHERE account_id = $1 ORDER BY id
     ) t`,
  ],
  [
    'devices',
    `SELECT to_jsonb(t) FROM (
       SELECT id, name, platform, created_at, last_seen_at, revoked_at FROM device WHERE account_id = $1 ORDER BY id
     ) t`,
  ],
  [
    'sessions',
    `SELECT to_jsonb(t) FROM (
       SELECT id, device_id, user_agent, created_at, last_seen_at, expires_at, revoked_at
       FROM account_session WHERE account_id = $1 ORDER BY id
     ) t`,
  ],
  [
    'credential_events',
    `SELECT to_jsonb(t) FROM (
       SELECT at, credential, credential_id, action, actor_kind, actor, network, user_agent
       FROM credential_event WHERE account_id = $1 ORDER BY at, id
     ) t`,
  ],
  [
    'mails',
    `SELECT to_jsonb(t) FROM (
       SELECT kind, address, created_at, ended_at, outcome FROM mail WHERE account_id = $1 ORDER BY id
     ) t`,
  ],
  [
    'webhooks',
    `SELECT to_jsonb(t) FROM (
       SELECT id, url, description, created_at, last_success_at FROM webhook_endpoint WHERE account_id = $1 ORDER BY id
     ) t`,
  ],
  [
    'payments',
    `SELECT to_jsonb(t) FROM (
       SELECT id, amount_nano::text, method, reference, created_at FROM funding WHERE account_id = $1 ORDER BY id
     ) t`,
  ],
  [
    'saved_cards',
    `SELECT to_jsonb(t) FROM (SELECT brand, last_four, expiry_month, expiry_year FROM saved_card WHERE account_id = $1) t`,
  ],
  [
    'documents',
    `SELECT to_jsonb(t) FROM (
       SELECT number, account_name, account_email, buyer, issued_at FROM (
         SELECT account_id, number, account_name, account_email, buyer, issued_at FROM invoice UNION ALL
         SELECT account_id, number, account_name, account_email, buyer, issued_at FROM receipt UNION ALL
         SELECT account_id, number, account_name, account_email, buyer, issued_at FROM credit_note
       ) d WHERE account_id = $1 ORDER BY issued_at, number
     ) t`,
  ],
];

/**
 * Everything that is kept of the person behind an account, by section. Their requests are not in it: the account
 * itself exports them, and no prompt or answer is kept.
 */
export async function readPersonalData(accountId: string, db: Queryable): Promise<Record<string, unknown[]>> {
  const sections: Record<string, unknown[]> = {};
  for (const [name, sql] of SECTIONS) {
    const { rows } = await db.query<{ to_jsonb: unknown } | { '?column?': unknown }>(sql, [accountId]);
    sections[name] = rows.map((row) => Object.values(row)[0]);
  }
  return sections;
}

import { toNanoUsd, type NanoUsd } from '@farebox/money';
import type { Queryable } from '../post-to-outbox';

export type MailKind = 'sign_in' | 'invite' | 'low_balance';

/** What became of a mail: see `MailOutcome` in the schema. */
export type MailOutcome = 'sent' | 'shown' | 'refused' | 'expired' | 'not_wanted' | 'no_mail_server';

/** Whom a mail is for, as he is now. */
export interface MailAccount {
  id: string;
  email: string;
  name: string;
  inviteStatus: 'none' | 'invited' | 'active' | 'suspended';
  availableNano: NanoUsd;
  /** The threshold that his balance is below; not set where it has been above since the mail was posted. */
  lowBalanceNano: NanoUsd | undefined;
}

export interface ClaimedMail {
  kind: MailKind;
  /** By the database's clock. */
  ageMs: number;
  /** Not set where the address that asked for a link is nobody's. */
  account: MailAccount | undefined;
}

const CLAIM = `
  SELECT m.kind, (extract(epoch FROM clock_timestamp() - m.created_at) * 1000)::float8 AS "ageMs",
         a.id, a.email, a.name, a.invite_status AS "inviteStatus",
         coalesce(f.balance_nano - f.held_nano, 0)::text AS "availableNano",
         CASE WHEN a.low_balance_mailed_at IS NOT NULL THEN a.low_balance_nano::text END AS "lowBalanceNano"
  FROM mail m
  LEFT JOIN account a ON a.id = coalesce(m.account_id, (SELECT id FROM account WHERE email = m.address))
  LEFT JOIN account_funds f ON f.account_id = a.id
  WHERE m.id = $1 AND m.ended_at IS NULL
  FOR UPDATE OF m`;

interface ClaimRow {
  kind: MailKind;
  ageMs: number;
  id: string | null;
  email: string;
  name: string;
  inviteStatus: MailAccount['inviteStatus'];
  availableNano: string;
  lowBalanceNano: string | null;
}

/**
 * Takes a mail for the caller's transaction, which sends it. Whoever comes for the same mail waits for the end of that,
 * and then gets nothing: `undefined` is a mail that has ended.
 */
export async function claimMail(client: Queryable, mailId: string): Promise<ClaimedMail | undefined> {
  const { rows } = await client.query<ClaimRow>(CLAIM, [mailId]);
  const [row] = rows;
  return row && { kind: row.kind, ageMs: row.ageMs, account: toAccount(row) };
}

function toAccount({ id, email, name, inviteStatus, ...row }: ClaimRow): MailAccount | undefined {
  if (id === null) return undefined;
  const { availableNano, lowBalanceNano } = row;
  return {
    id,
    email,
    name,
    inviteStatus,
    availableNano: toNanoUsd(BigInt(availableNano)),
    lowBalanceNano: lowBalanceNano === null ? undefined : toNanoUsd(BigInt(lowBalanceNano)),
  };
}

/** Notes what became of a claimed mail. Its address is forgotten. */
export async function endMail(
  client: Queryable,
  mailId: string,
  { outcome, accountId }: { outcome: MailOutcome; accountId: string | undefined },
): Promise<void> {
  await client.query(
    `UPDATE mail SET ended_at = clock_timestamp(), outcome = $2::mail_outcome, address = NULL,
       account_id = coalesce(account_id, $3) WHERE id = $1`,
    [mailId, outcome, accountId],
  );
}

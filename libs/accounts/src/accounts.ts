import { uuidV7 } from '@farebox/ids';
import type { NanoUsd } from '@farebox/money';
import type { Queryable } from './open-accounts';

export type InviteStatus = 'none' | 'invited' | 'active' | 'suspended';

/** An account with its cohort. */
export interface Account {
  id: string;
  email: string;
  name: string;
  inviteStatus: InviteStatus;
  cohortName: string;
  /** Override of the cohort's cap. */
  dailyRequestCap: number | null;
  dailySpendCapNano: bigint | null;
  /** The owner is mailed once when less than this is available. */
  lowBalanceNano: bigint | null;
  createdAt: Date;
  cohort: { dailyRequestCap: number; dailySpendCapNano: bigint };
}

interface AccountRow extends Omit<Account, 'cohort'> {
  ofCohort: number;
  ofCohortNano: bigint;
}

const RECORD = `
  SELECT a.id, a.email, a.name, a.invite_status AS "inviteStatus", a.cohort_name AS "cohortName",
         a.daily_request_cap AS "dailyRequestCap", a.daily_spend_cap_nano AS "dailySpendCapNano",
         a.low_balance_nano AS "lowBalanceNano", a.created_at AS "createdAt",
         c.daily_request_cap AS "ofCohort", c.daily_spend_cap_nano AS "ofCohortNano"
  FROM account a JOIN cohort c ON c.name = a.cohort_name`;

function toAccount({ ofCohort, ofCohortNano, ...account }: AccountRow): Account {
  return { ...account, cohort: { dailyRequestCap: ofCohort, dailySpendCapNano: ofCohortNano } };
}

/** `undefined` if there is no such account. */
export async function findAccount(accountId: string, db: Queryable): Promise<Account | undefined> {
  const { rows } = await db.query<AccountRow>(`${RECORD} WHERE a.id = $1`, [accountId]);
  return rows[0] && toAccount(rows[0]);
}

export async function hasAccount(accountId: string, db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM account WHERE id = $1', [accountId]);
  return rowCount === 1;
}

/** The cohort of an account that there is. */
export async function readCohortName(accountId: string, db: Queryable): Promise<string> {
  const { rows } = await db.query<{ cohortName: string }>(
    'SELECT cohort_name AS "cohortName" FROM account WHERE id = $1',
    [accountId],
  );
  if (!rows[0]) throw new Error('the account is not there');
  return rows[0].cohortName;
}

export interface AccountFilter {
  inviteStatus: InviteStatus | undefined;
  cohort: string | undefined;
  /** In the e-mail address or the name. */
  search: string | undefined;
}

/** Accounts of everybody, newest first: at most `count`, those after the account `afterId`. */
export async function listAccounts(
  db: Queryable,
  { inviteStatus, cohort, search }: AccountFilter,
  { afterId, count }: { afterId: string | undefined; count: number },
): Promise<Account[]> {
  const { rows } = await db.query<AccountRow>(
    `${RECORD}
     WHERE ($1::uuid IS NULL OR a.id < $1)
       AND ($2::invite_status IS NULL OR a.invite_status = $2)
       AND ($3::text IS NULL OR a.cohort_name = $3)
       AND ($4::text IS NULL OR a.email ILIKE $4 OR a.name ILIKE $4)
     ORDER BY a.id DESC LIMIT $5`,
    [afterId, inviteStatus, cohort, search === undefined ? null : containing(search), count],
  );
  return rows.map(toAccount);
}

/** The pattern of LIKE for whatever contains a text as it is. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** An account as it is found by its e-mail address. */
export interface NamedAccount {
  accountId: string;
  name: string;
  inviteStatus: InviteStatus;
}

export async function findAccountByEmail(db: Queryable, email: string): Promise<NamedAccount | undefined> {
  const { rows } = await db.query<NamedAccount>(
    'SELECT id AS "accountId", name, invite_status AS "inviteStatus" FROM account WHERE email = $1',
    [email],
  );
  return rows[0];
}

/**
 * Creates an invited account, whose funds the ledger has to open; or answers with the account that has this e-mail
 * address already, under whatever name.
 */
export async function createAccount(
  db: Queryable,
  { email, name }: { email: string; name: string },
): Promise<NamedAccount & { isNew: boolean }> {
  const accountId = uuidV7();
  // Waits for somebody else who is creating it, and then sees theirs.
  const { rowCount } = await db.query(
    `INSERT INTO account (id, email, name, invite_status) VALUES ($1, $2, $3, 'invited')
     ON CONFLICT (email) DO NOTHING`,
    [accountId, email, name],
  );
  if (rowCount === 1) return { accountId, name, inviteStatus: 'invited', isNew: true };
  const existing = await findAccountByEmail(db, email);
  if (!existing) throw new Error('the account of an e-mail address that is taken is not there');
  return { ...existing, isNew: false };
}

export type InviteChange = 'activate' | 'suspend';

/** Invite states: none → invited → active ⇄ suspended. An operator's activation is the invitation as well. */
const NEXT: Record<InviteChange, Record<InviteStatus, InviteStatus | undefined>> = {
  activate: { none: 'active', invited: 'active', active: 'active', suspended: 'active' },
  suspend: { none: undefined, invited: undefined, active: 'suspended', suspended: 'suspended' },
};

/** Invites an account that was made without an invite; every other status stays. Waits for nobody's lock. */
export async function markInvited(accountId: string, db: Queryable): Promise<void> {
  await db.query(`UPDATE account SET invite_status = 'invited' WHERE id = $1 AND invite_status = 'none'`, [
    accountId,
  ]);
}

/**
 * Gives an account access, or takes it away: once this is committed, no later request of a suspended account is admitted. To be
 * called in a transaction. `after` is undefined for a step that the states do not have: nothing changed. Answers
 * `undefined` if there is no such account.
 */
export async function changeInviteStatus(
  accountId: string,
  db: Queryable,
  change: InviteChange,
): Promise<{ before: InviteStatus; after: InviteStatus | undefined } | undefined> {
  const before = await lockColumn(accountId, db, 'invite_status');
  if (before === undefined) return undefined;
  const after = NEXT[change][before];
  if (after !== undefined && after !== before) {
    await db.query('UPDATE account SET invite_status = $2::invite_status WHERE id = $1', [accountId, after]);
  }
  return { before, after };
}

/**
 * Sets the threshold below which the owner of an account is mailed; null takes it away. With a new one they are mailed
 * again, if they are below it. To be called in a transaction. Answers with the former one; `undefined` if there is no
 * such account.
 */
export async function changeLowBalance(
  accountId: string,
  db: Queryable,
  thresholdNano: NanoUsd | null,
): Promise<{ before: NanoUsd | null } | undefined> {
  const before = await lockColumn(accountId, db, 'low_balance_nano');
  if (before === undefined) return undefined;
  if (before !== thresholdNano) {
    await db.query(
      `UPDATE account SET low_balance_nano = $2, low_balance_mailed_at = NULL, low_balance_mailed_nano = NULL
       WHERE id = $1`,
      [accountId, thresholdNano],
    );
  }
  return { before };
}

interface LockedColumns {
  invite_status: InviteStatus;
  low_balance_nano: NanoUsd | null;
  cohort_name: string;
}

/** A value of an account that is about to change: nobody else changes it before the transaction ends. */
export async function lockColumn<Column extends keyof LockedColumns>(
  accountId: string,
  db: Queryable,
  column: Column,
): Promise<LockedColumns[Column] | undefined> {
  const { rows } = await db.query<{ value: LockedColumns[Column] }>(
    `SELECT ${column} AS value FROM account WHERE id = $1 FOR NO KEY UPDATE`,
    [accountId],
  );
  return rows[0]?.value;
}

/** The newest mail to an account's owner. */
export interface LastMail {
  /** `sign_in`, `invite` or `low_balance`. */
  kind: string;
  /** What became of it, such as `sent`; or `waiting`. */
  state: string;
  postedAt: Date;
}

/** A link that was asked for is known here once it has been dealt with: before, nobody looks up whose address it is. */
export async function findLastMail(accountId: string, db: Queryable): Promise<LastMail | undefined> {
  const { rows } = await db.query<LastMail>(
    `SELECT kind, coalesce(outcome::text, 'waiting') AS state, created_at AS "postedAt"
     FROM mail WHERE account_id = $1 ORDER BY id DESC LIMIT 1`,
    [accountId],
  );
  return rows[0];
}

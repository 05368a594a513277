import type { InviteStatus, Prisma } from '@farebox/database';
import { uuidV7 } from '@farebox/ids';
import type { NanoUsd } from '@farebox/money';
import type { Accounts, Queryable } from './open-accounts';

const withCohort = { cohort: true } as const;

/** An account with its cohort. */
export type Account = Prisma.AccountGetPayload<{ include: typeof withCohort }>;

/** `undefined` if there is no such account. */
export async function findAccount(accountId: string, { prisma }: Accounts): Promise<Account | undefined> {
  const found = await prisma.account.findUnique({ where: { id: accountId }, include: withCohort });
  return found ?? undefined;
}

export async function hasAccount(accountId: string, db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM account WHERE id = $1', [accountId]);
  return rowCount === 1;
}

/** The cohort of an account that there is. */
export async function readCohortName(accountId: string, { prisma }: Accounts): Promise<string> {
  const account = { where: { id: accountId }, select: { cohortName: true } };
  return (await prisma.account.findUniqueOrThrow(account)).cohortName;
}

export interface AccountFilter {
  inviteStatus: InviteStatus | undefined;
  cohort: string | undefined;
  /** In the e-mail address or the name. */
  search: string | undefined;
}

/** Accounts of everybody, newest first: at most `count`, those after the account `afterId`. */
export function listAccounts(
  { prisma }: Accounts,
  { inviteStatus, cohort, search }: AccountFilter,
  { afterId, count }: { afterId: string | undefined; count: number },
): Promise<Account[]> {
  return prisma.account.findMany({
    where: {
      ...(afterId !== undefined && { id: { lt: afterId } }),
      ...(inviteStatus !== undefined && { inviteStatus }),
      ...(cohort !== undefined && { cohortName: cohort }),
      ...(search !== undefined && { OR: [{ email: contains(search) }, { name: contains(search) }] }),
    },
    orderBy: { id: 'desc' },
    take: count,
    include: withCohort,
  });
}

/** Prisma leaves what means something to LIKE as it is. */
function contains(text: string) {
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
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
export async function findLastMail(accountId: string, { prisma }: Accounts): Promise<LastMail | undefined> {
  const mail = await prisma.mail.findFirst({ where: { accountId }, orderBy: { id: 'desc' } });
  return mail ? { kind: mail.kind, state: mail.outcome ?? 'waiting', postedAt: mail.createdAt } : undefined;
}

import { uuidV7 } from '@farebox/auth';
import type { InviteStatus, Prisma, Queryable } from '@farebox/database';
import { type NanoUsd, toNanoUsd } from '@farebox/money';
import { type Actor, notingSql, requireChangePace, toActorValues } from './credential-events';
import type { Accounts } from './open-accounts';

export type { InviteStatus } from '@farebox/database';

const withCohort = { cohort: true } as const;

/** An account with its cohort. */
export type Account = Prisma.AccountGetPayload<{ include: typeof withCohort }>;

/** Returns `undefined` if there is no such account. */
export async function findAccount(accountId: string, { prisma }: Accounts): Promise<Account | undefined> {
  const found = await prisma.account.findUnique({ where: { id: accountId }, include: withCohort });
  return found ?? undefined;
}

export async function hasAccount(accountId: string, { prisma }: Accounts): Promise<boolean> {
  return (await prisma.account.count({ where: { id: accountId } })) === 1;
}

/** The cohort of an existing account. */
export async function readCohortName(accountId: string, { prisma }: Accounts): Promise<string> {
  const account = { where: { id: accountId }, select: { cohortName: true } };
  return (await prisma.account.findUniqueOrThrow(account)).cohortName;
}

interface AccountFilter {
  inviteStatus: InviteStatus | undefined;
  cohort: string | undefined;
  /** Matched against the e-mail address and the name. */
  search: string | undefined;
}

/** All accounts, newest first: at most `count`, starting after the account `afterId`. */
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
      ...(search !== undefined && { OR: [{ email: containing(search) }, { name: containing(search) }] }),
    },
    orderBy: { id: 'desc' },
    take: count,
    include: withCohort,
  });
}

/** The e-mail addresses of accounts, by their ids. */
export async function findEmails(
  { prisma }: Accounts,
  accountIds: readonly string[],
): Promise<Map<string, string>> {
  const where = { id: { in: [...accountIds] } };
  const found = await prisma.account.findMany({ where, select: { id: true, email: true } });
  return new Map(found.map(({ id, email }) => [id, email]));
}

/** Prisma does not escape LIKE wildcards. */
function containing(text: string) {
  return { contains: text.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
}

/** An account found by its e-mail address. */
export interface NamedAccount {
  accountId: string;
  name: string;
  inviteStatus: InviteStatus;
}

export async function findAccountByEmail(
  { prisma }: Accounts,
  email: string,
): Promise<NamedAccount | undefined> {
  const found = await prisma.account.findUnique({ where: { email } });
  return found ? { accountId: found.id, name: found.name, inviteStatus: found.inviteStatus } : undefined;
}

/**
 * Creates an invited account, whose funds the ledger must open, or returns the existing account with this
 * e-mail address, whatever its name.
 */
export async function createAccount(
  accounts: Accounts,
  { email, name }: { email: string; name: string },
): Promise<NamedAccount & { isNew: boolean }> {
  const id = uuidV7();
  // Waits for a concurrent creation of the same account, then sees its row.
  const { count } = await accounts.prisma.account.createMany({
    data: [{ id, email, name, inviteStatus: 'invited' }],
    skipDuplicates: true,
  });
  if (count === 1) return { accountId: id, name, inviteStatus: 'invited', isNew: true };
  const existing = await findAccountByEmail(accounts, email);
  if (!existing) throw new Error('the account of an e-mail address that is taken is not there');
  return { ...existing, isNew: false };
}

export type InviteChange = 'activate' | 'suspend';

/** Invite states: none → invited → active ⇄ suspended. An operator's activation includes the invitation. */
const NEXT: Record<InviteChange, Record<InviteStatus, InviteStatus | undefined>> = {
  activate: { none: 'active', invited: 'active', active: 'active', suspended: 'active' },
  suspend: { none: undefined, invited: undefined, active: 'suspended', suspended: 'suspended' },
};

/** Invites an account that was created without an invite; every other status stays. */
export async function markInvited(accountId: string, { prisma }: Accounts): Promise<void> {
  const where = { id: accountId, inviteStatus: 'none' } as const;
  await prisma.account.updateMany({ where, data: { inviteStatus: 'invited' } });
}

/**
 * Grants or removes access of an account: once this is committed, no later request of a suspended account is
 * admitted. Call it in a transaction. `after` is undefined if the states have no such step; nothing changed
 * then. Returns `undefined` if there is no such account.
 */
export async function changeInviteStatus(
  accountId: string,
  accounts: Accounts,
  change: InviteChange,
): Promise<{ before: InviteStatus; after: InviteStatus | undefined } | undefined> {
  const account = await lockAccount(accountId, accounts);
  if (!account) return undefined;
  const before = account.inviteStatus;
  const after = NEXT[change][before];
  if (after !== undefined && after !== before) await setColumns(accountId, accounts, { inviteStatus: after });
  return { before, after };
}

/**
 * Sets or clears (null) the balance below which the owner of an account is mailed. A new threshold can cause
 * another mail. Call it in a transaction. Returns the former one, or `undefined` if there is no such account.
 */
export async function changeLowBalance(
  accountId: string,
  accounts: Accounts,
  thresholdNano: NanoUsd | null,
): Promise<{ before: NanoUsd | null } | undefined> {
  const account = await lockAccount(accountId, accounts);
  if (!account) return undefined;
  const before = account.lowBalanceNano === null ? null : toNanoUsd(account.lowBalanceNano);
  if (before !== thresholdNano) {
    const mail = { lowBalanceMailedAt: null, lowBalanceMailedNano: null };
    await setColumns(accountId, accounts, { lowBalanceNano: thresholdNano, ...mail });
  }
  return { before };
}

/** Locks an account until the end of the transaction. */
export async function lockAccount(accountId: string, accounts: Accounts): Promise<Account | undefined> {
  // Prisma cannot express this lock.
  await accounts.prisma.$queryRaw`SELECT id FROM account WHERE id = ${accountId}::uuid FOR NO KEY UPDATE`;
  return findAccount(accountId, accounts);
}

/** Changes columns of a locked account. */
export async function setColumns(
  accountId: string,
  { prisma }: Accounts,
  data: Prisma.AccountUncheckedUpdateManyInput,
): Promise<void> {
  await prisma.account.updateMany({ where: { id: accountId }, data });
}

/** The newest mail to an account's owner. */
interface LastMail {
  /** `sign_in`, `invite` or `low_balance`. */
  kind: string;
  /** The outcome, such as `sent`, or `waiting`. */
  state: string;
  postedAt: Date;
}

/**
 * A requested sign-in link appears here only after it was processed: the owner of the address is not looked
 * up before.
 */
export async function findLastMail(accountId: string, { prisma }: Accounts): Promise<LastMail | undefined> {
  const mail = await prisma.mail.findFirst({ where: { accountId }, orderBy: { id: 'desc' } });
  return mail ? { kind: mail.kind, state: mail.outcome ?? 'waiting', postedAt: mail.createdAt } : undefined;
}

/** An account as its owner sees it. */
export interface OwnAccount {
  id: string;
  name: string;
  email: string;
  inviteStatus: InviteStatus;
  createdAt: Date;
  /** As `de`; null: that of the browser. */
  language: string | null;
  lowBalanceNano: NanoUsd | null;
  /** The caps in force: the account's own, or its cohort's. */
  dailyRequestCap: number;
  dailySpendCapNano: NanoUsd;
  /** Requests admitted today, the UTC day of `now`. */
  dayRequests: number;
  /** Spent and held today. */
  dayCommittedNano: NanoUsd;
}

// The caps and the usage as `ledger_decide_hold` reads them on admission;
// apps/account-e2e/src/account.int.spec.ts checks that both agree.
const OWN_ACCOUNT = `
  SELECT a.id, a.name, a.email, a.invite_status AS "inviteStatus", a.created_at AS "createdAt",
         a.language, a.low_balance_nano AS "lowBalanceNano",
         coalesce(a.daily_request_cap, c.daily_request_cap) AS "dailyRequestCap",
         coalesce(a.daily_spend_cap_nano, c.daily_spend_cap_nano) AS "dailySpendCapNano",
         coalesce(d.requests, 0) AS "dayRequests", coalesce(d.spent_nano + d.held_nano, 0) AS "dayCommittedNano"
  FROM account a
  JOIN cohort c ON c.name = a.cohort_name
  LEFT JOIN account_day d ON d.account_id = a.id AND d.day = ($2::timestamptz AT TIME ZONE 'UTC')::date
  WHERE a.id = $1`;

/** Reads an existing account in one statement. */
export async function readOwnAccount(accountId: string, db: Queryable, now: Date): Promise<OwnAccount> {
  const { rows } = await db.query<OwnAccount>(OWN_ACCOUNT, [accountId, now]);
  const [account] = rows;
  if (!account) throw new Error('the account of a session is not there');
  return account;
}

/**
 * Settings of an account that its owner may change. `undefined` leaves a setting as it is; null clears it.
 */
export interface OwnAccountUpdate {
  name: string | undefined;
  language: string | null | undefined;
  lowBalanceNano: NanoUsd | null | undefined;
}

/** Records a change of the account `$1`, with the values of its actor. */
export const NOTE_CHANGE = `WITH changed AS (SELECT id FROM account WHERE id = $1)
  ${notingSql('account', 'change', { done: 'changed', at: 2 })}`;

/**
 * Changes an account at its owner's request, and records who did it if anything changed. Throws
 * `rate_limit_error`.
 */
export async function updateOwnAccount(
  accountId: string,
  accounts: Accounts,
  { name, language, lowBalanceNano }: OwnAccountUpdate,
  actor: Actor,
): Promise<void> {
  await changeOwnAccount(accountId, accounts, actor, async (inside) => {
    const before = await lockAccount(accountId, inside);
    const isRenamed = name !== undefined && name !== before?.name;
    const isTranslated = language !== undefined && language !== before?.language;
    const isMovedThreshold = lowBalanceNano !== undefined && lowBalanceNano !== before?.lowBalanceNano;
    if (isRenamed) await setColumns(accountId, inside, { name });
    if (isTranslated) await setColumns(accountId, inside, { language });
    if (isMovedThreshold) await changeLowBalance(accountId, inside, lowBalanceNano);
    return isRenamed || isTranslated || isMovedThreshold;
  });
}

/**
 * Runs a change of an account that its owner makes, in one transaction with its record. `change` returns
 * whether anything changed. Throws `rate_limit_error`.
 */
export async function changeOwnAccount(
  accountId: string,
  accounts: Accounts,
  actor: Actor,
  change: (inside: Accounts) => Promise<boolean>,
): Promise<void> {
  await requireChangePace(accountId, accounts, actor);
  await accounts.transaction(async (inside) => {
    if (await change(inside)) await inside.query(NOTE_CHANGE, [accountId, ...toActorValues(actor)]);
  });
}

import { uuidV7 } from '@farebox/auth';
import {
  isSentJobName,
  type JobDefinition,
  type JobPayload,
  JOBS,
  type SentJobName,
} from '@farebox/jobs/table';
import { type NanoUsd, toNanoUsd } from '@farebox/money';
import { DEFAULT_LANGUAGE, isLanguage, type Language } from '@farebox/texts';
import type { Pool } from 'pg';
import { z } from 'zod';

/** Normally a client in a transaction: the work is posted only if that commits. */
export type Queryable = Pick<Pool, 'query'>;

/**
 * Posts a job in the caller's transaction. A worker hands it to the job queue after the commit, at least once
 * and under the same id each time. Needs the rights of the database's owner: services have a function for
 * each job that they may post.
 */
export async function postToOutbox<Name extends SentJobName>(
  client: Queryable,
  job: Name,
  payload: JobPayload<Name>,
  id: string = uuidV7(),
): Promise<void> {
  const definition: JobDefinition = JOBS[job];
  const written = JSON.stringify(z.encode(definition.payload, payload));
  await client.query('INSERT INTO outbox (id, job, payload) VALUES ($1, $2, $3::jsonb)', [id, job, written]);
}

/** A job on its way to the queue. */
export interface PostedJob<Name extends SentJobName = SentJobName> {
  /** Becomes the job's id. */
  id: string;
  job: Name;
  /** As the job's handler receives it. */
  payload: JobPayload<Name>;
}

interface TakenFromOutbox {
  jobs: PostedJob[];
  /** Rows of a newer version that this one cannot read. The caller rolls back and skips them. */
  unreadableIds: string[];
}

const KNOWN_JOBS = Object.keys(JOBS).filter(isSentJobName);

interface OutboxRow {
  id: string;
  job: string;
  payload: unknown;
}

/**
 * Takes the oldest rows of the jobs that this version knows, in the caller's transaction: they reappear if it
 * rolls back, and nobody else can take them meanwhile.
 */
export async function takeFromOutbox(
  client: Queryable,
  { limit, passOverIds = [] }: { limit: number; passOverIds?: readonly string[] },
): Promise<TakenFromOutbox> {
  const { rows } = await client.query<OutboxRow>('SELECT id, job, payload FROM outbox_take($1, $2, $3)', [
    KNOWN_JOBS,
    passOverIds,
    limit,
  ]);
  const read = rows.map((row) => ({ id: row.id, posted: readRow(row) }));
  return {
    jobs: read.flatMap(({ posted }) => posted ?? []),
    unreadableIds: read.filter(({ posted }) => posted === undefined).map(({ id }) => id),
  };
}

function readRow({ id, job, payload }: OutboxRow): PostedJob | undefined {
  if (!isSentJobName(job)) return undefined;
  const definition: JobDefinition = JOBS[job];
  const result = definition.payload.safeParse(payload);
  return result.success ? { id, job, payload: result.data as JobPayload<SentJobName> } : undefined;
}

/** Committed work that is not yet in its queue. */
export interface OutboxBacklog {
  rows: number;
  /** Age of the oldest row, 0 if there is none. */
  oldestSeconds: number;
}

export async function readOutboxBacklog(pool: Pick<Pool, 'query'>): Promise<OutboxBacklog> {
  const { rows } = await pool.query<OutboxBacklog>(
    `SELECT count(*)::int AS rows,
            coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS "oldestSeconds"
     FROM outbox`,
  );
  return rows[0] ?? { rows: 0, oldestSeconds: 0 };
}

/** Mails about new credentials. */
export type CredentialMailKind = 'new_browser' | 'new_api_key' | 'new_device';

export type MailKind =
  'sign_in' | 'invite' | 'low_balance' | 'top_up_off' | 'webhook_disabled' | CredentialMailKind;

/** Why automatic top-up was switched off without its owner. */
export type TopUpOffReason = 'failures' | 'card' | 'dispute';

/** The outcome of a mail: see `MailOutcome` in the schema. */
export type MailOutcome = 'sent' | 'shown' | 'refused' | 'expired' | 'not_wanted' | 'no_mail_server';

/** The current recipient of a mail. */
export interface MailAccount {
  id: string;
  email: string;
  name: string;
  /** The account's own, or that of the browser that asked for the mail. */
  language: Language;
  inviteStatus: 'none' | 'invited' | 'active' | 'suspended';
  availableNano: NanoUsd;
  /**
   * The threshold that the balance is below; not set if the balance has recovered since the mail was posted.
   */
  lowBalanceNano: NanoUsd | undefined;
  /** Not set if automatic top-up is on, or its owner switched it off. */
  topUpOffReason: TopUpOffReason | undefined;
}

/** The credential event that a mail is about. */
export interface MailedEvent {
  at: Date;
  /** As CIDR. */
  network: string | null;
  /** In the client's own words. */
  userAgent: string | null;
}

/** The webhook that a mail is about. */
export interface DisabledWebhook {
  id: string;
  url: string;
  /** Why it was disabled without its owner. */
  reason: 'failures' | 'gone';
}

export interface ClaimedMail {
  kind: MailKind;
  /** By the database's clock. */
  ageMs: number;
  /** Not set if the address belongs to no account, or the mail is for an operator. */
  account: MailAccount | undefined;
  /** Set for the link of an operator: the address that it was asked for with. */
  operatorAddress: string | undefined;
  /** The browser that may use the code of a sign-in link. */
  browserSha256: Buffer | undefined;
  /** Set for a mail about a credential whose event still exists. */
  event: MailedEvent | undefined;
  /** Set for a mail about a webhook that is still disabled. */
  webhook: DisabledWebhook | undefined;
}

const CLAIM = `
  SELECT m.kind, (extract(epoch FROM clock_timestamp() - m.created_at) * 1000)::float8 AS "ageMs",
         a.id, a.email, a.name, coalesce(a.language, m.language) AS language, a.invite_status AS "inviteStatus",
         coalesce(f.balance_nano - f.held_nano, 0)::text AS "availableNano",
         CASE WHEN a.low_balance_mailed_at IS NOT NULL THEN a.low_balance_nano::text END AS "lowBalanceNano",
         nullif(t.off_reason, 'customer') AS "topUpOffReason",
         e.at, e.network, e.user_agent AS "userAgent", m.browser_sha256 AS "browserSha256",
         CASE WHEN m.for_operator THEN m.address END AS "operatorAddress",
         w.id AS "webhookId", w.url AS "webhookUrl", w.off_reason AS "webhookOffReason"
  FROM mail m
  LEFT JOIN credential_event e ON e.id = m.credential_event_id
  LEFT JOIN webhook_endpoint w ON w.id = m.webhook_endpoint_id AND w.off_reason IN ('failures', 'gone')
  LEFT JOIN account a ON NOT m.for_operator
                     AND a.id = coalesce(m.account_id, (SELECT id FROM account WHERE email = m.address))
  LEFT JOIN account_funds f ON f.account_id = a.id
  LEFT JOIN auto_top_up t ON t.account_id = a.id
  WHERE m.id = $1 AND m.ended_at IS NULL`;

interface ClaimRow {
  kind: MailKind;
  ageMs: number;
  id: string | null;
  email: string;
  name: string;
  language: string | null;
  inviteStatus: MailAccount['inviteStatus'];
  availableNano: string;
  lowBalanceNano: string | null;
  topUpOffReason: TopUpOffReason | null;
  at: Date | null;
  network: string | null;
  userAgent: string | null;
  browserSha256: Buffer | null;
  operatorAddress: string | null;
  webhookId: string | null;
  webhookUrl: string;
  webhookOffReason: DisabledWebhook['reason'];
}

// Not a row lock: a mail that is being sent can still be ended.
const TAKE_TURN = `SELECT pg_advisory_xact_lock(hashtextextended('mail:' || $1::text, 0))`;

/**
 * Claims a mail for the caller's transaction, which sends it. A concurrent claim waits for that transaction.
 * Returns `undefined` if the mail has ended.
 */
export async function claimMail(client: Queryable, mailId: string): Promise<ClaimedMail | undefined> {
  await client.query(TAKE_TURN, [mailId]);
  const { rows } = await client.query<ClaimRow>(CLAIM, [mailId]);
  const [row] = rows;
  if (!row) return undefined;
  const { kind, ageMs, browserSha256, operatorAddress } = row;
  return {
    kind,
    ageMs,
    account: toAccount(row),
    operatorAddress: operatorAddress ?? undefined,
    browserSha256: browserSha256 ?? undefined,
    event: toEvent(row),
    webhook: toWebhook(row),
  };
}

function toWebhook({ webhookId: id, webhookUrl: url, webhookOffReason: reason }: ClaimRow) {
  return id === null ? undefined : { id, url, reason };
}

function toEvent({ at, network, userAgent }: ClaimRow): MailedEvent | undefined {
  return at === null ? undefined : { at, network, userAgent };
}

function toAccount({ id, email, name, language, inviteStatus, ...row }: ClaimRow): MailAccount | undefined {
  if (id === null) return undefined;
  const { availableNano, lowBalanceNano, topUpOffReason } = row;
  return {
    id,
    email,
    name,
    language: isLanguage(language) ? language : DEFAULT_LANGUAGE,
    inviteStatus,
    availableNano: toNanoUsd(BigInt(availableNano)),
    lowBalanceNano: lowBalanceNano === null ? undefined : toNanoUsd(BigInt(lowBalanceNano)),
    topUpOffReason: topUpOffReason ?? undefined,
  };
}

/**
 * Whether a mail has not ended. If so, it cannot end before the caller's transaction: cancelling the mails of
 * an account then also finds the link made here for this mail.
 */
export async function holdMail(client: Queryable, mailId: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM mail WHERE id = $1 AND ended_at IS NULL FOR SHARE', [
    mailId,
  ]);
  return rowCount === 1;
}

/** Records the outcome of a claimed mail and deletes its address. */
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

/**
 * Asks for a sign-in link to be mailed to an address, in the language of the browser and with a code for it.
 * Nothing here depends on the owner of the address, who is looked up when the mail is sent. For the account
 * service.
 */
export async function askForSignInMail(
  db: Queryable,
  {
    address,
    language,
    browserSha256,
  }: { address: string; language: Language; /** Of the browser's cookie. */ browserSha256: Buffer },
): Promise<void> {
  await db.query('SELECT mail_ask_link($1, $2, $3, $4)', [uuidV7(), address, language, browserSha256]);
}

/** The same for an address at the operator service. For that service. */
export async function askForOperatorMail(db: Queryable, address: string): Promise<void> {
  await db.query('SELECT mail_ask_operator_link($1, $2)', [uuidV7(), address]);
}

/** Posts an invite in the caller's transaction. The link is made on sending. Needs the owner's rights. */
export async function postInviteMail(client: Queryable, accountId: string): Promise<void> {
  const mailId = uuidV7();
  await client.query(`INSERT INTO mail (id, kind, account_id) VALUES ($1, 'invite', $2)`, [
    mailId,
    accountId,
  ]);
  await postToOutbox(client, 'send-mail', { mailId }, mailId);
}

const BATCH = 1_000;
const SURELY_TRIED = '10 minutes';

/**
 * Posts mails again whose job may have been lost with its queue: those posted ten minutes ago that have not
 * ended. A job still in the queue is not added twice. Returns their number, at most a thousand.
 */
export async function postMailsAgain(db: Queryable): Promise<number> {
  return countOf(db, 'SELECT mail_post_again($1::interval, $2) AS count', [SURELY_TRIED, BATCH]);
}

/** Deletes mails thirty days after their end, in batches until none are left. Returns their number. */
export async function purgeMails(db: Queryable): Promise<number> {
  let purged = 0;
  for (;;) {
    const count = await countOf(db, 'SELECT mail_purge($1) AS count', [BATCH]);
    purged += count;
    if (count < BATCH) return purged;
  }
}

/**
 * Posts a mail for each account whose available balance is below its threshold, once until it recovers.
 * Returns their number.
 */
export async function postLowBalanceMails(db: Queryable): Promise<number> {
  let posted = 0;
  for (;;) {
    const count = await countOf(db, 'SELECT mail_find_low_balances($1) AS count', [BATCH]);
    posted += count;
    if (count < BATCH) return posted;
  }
}

async function countOf(db: Queryable, sql: string, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(sql, values);
  return rows[0]?.count ?? 0;
}

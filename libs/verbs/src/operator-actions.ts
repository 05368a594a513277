import { listCredentialEvents, type Accounts, type CredentialEvent } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/api';
import type { Pool } from 'pg';
import { requireAccountId } from './accounts';
import { readActionId, readEventId, readLine, readTime } from './arguments';
import { readAccount } from './named-accounts';
import type { ActionDetails, OperatorAction } from './audit-log';
import type { Verbs } from './verb';
import type { Report } from './report';
import { addPageOptions, givenLimit, nextCommand, toListReport, type GivenPage, toIso } from './lists';

interface GivenFilter {
  operator?: string | undefined;
  action?: string;
  target?: string;
  since?: Date;
  limit: number;
  after?: string;
}

export const logCommands: Verbs = {
  log: {
    help: "show the operators' actions, newest first: who, when, what, and on what",
    takes: (command) =>
      addPageOptions(
        command
          .option('--operator <name>', 'only those by this operator; --by does the same here', readLine)
          .option(
            '--action <words>',
            'only this command, or a group of them, like "account fund" or account',
            readLine,
          )
          .option(
            '--target <id>',
            'only those on this target: the id or number of a key, a review, …; of an account with all that it has',
            readLine,
          )
          .option('--since <time>', 'from this day or time on, like 2026-11-01', readTime),
        { of: 'action', description: 'continue before this one, op_…', read: readActionId },
      ),
    examples: [
      'admin log',
      'admin log --operator ada --since 2026-11-01',
      'admin log --action "account fund" --json',
    ],
    run:
      ({ read }, command) =>
      (filter: GivenFilter) => {
        const { by } = command.optsWithGlobals<{ by?: string }>();
        return read((pool) => list(pool, { ...filter, operator: filter.operator ?? by }));
      },
  },
  'account events': {
    help:
      'show the events of the credentials of an account, newest first: API keys, devices, sessions and billing details, ' +
      'by whom and from where. What operators did to an account is in their log.',
    takes: (command) =>
      addPageOptions(command.argument('<account>', 'acct_…, or its e-mail address', readAccount), {
        of: 'event',
        description: 'continue before this one, evt_…',
        read: readEventId,
      }),
    examples: ['admin account events acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (accountId: string, given: GivenPage) =>
        read((_pool, accounts) => listEvents(accounts, accountId, given)),
  },
};

async function listEvents(
  accounts: Accounts,
  accountId: string,
  { limit, after }: GivenPage,
): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const events = await listCredentialEvents(accountId, accounts, { count: limit + 1, beforeId: after });
  const page = toListPage(events.map(toEventReport), limit, (report) => report.event_id);
  return toListReport(page, {
    columns: ['when', 'who', 'did', 'to', 'from', 'client'].map((name) => ({ name })),
    toRow: (one) => [
      toIso(one.at),
      one.actor_kind === 'operator' ? `operator ${one.actor}` : one.actor,
      one.action,
      one.credential_id,
      one.network ?? '',
      one.user_agent ?? '',
    ],
    none: 'The account has no credential events.',
    next: (lastId) =>
      nextCommand(`account events ${toPublicId('acct', accountId)}`, { limit: givenLimit(limit) }, lastId),
  });
}

const PREFIX_OF = { api_key: 'key', device: 'dev', session: 'sess', account: 'acct' } as const;

function toEventReport({
  id,
  at,
  credential,
  credentialId,
  action,
  actorKind,
  actor,
  ...event
}: CredentialEvent) {
  return {
    event_id: toPublicId('evt', id),
    at: toUnixSeconds(at),
    credential,
    credential_id: toPublicId(PREFIX_OF[credential], credentialId),
    action,
    actor_kind: actorKind,
    actor,
    network: event.network,
    user_agent: event.userAgent,
    new_browser: event.isNewBrowser,
  };
}

async function list(pool: Pool, { limit, after, ...filter }: GivenFilter): Promise<Report> {
  const actions = await listActions(pool, { ...filter, afterId: after, limit: limit + 1 });
  const page = toListPage(actions.map(toReport), limit, (report) => report.action_id);
  const { since, ...texts } = filter;
  return toListReport(page, {
    columns: [
      { name: 'when' },
      { name: 'operator' },
      { name: 'via' },
      { name: 'action' },
      { name: 'target' },
      { name: 'details' },
    ],
    toRow: (one) => [
      toIso(one.at),
      ...[one.operator, one.via],
      one.outcome === 'done' ? one.action : `${one.action} (${one.outcome})`,
      one.target ?? '',
      describeDetails(one.details),
    ],
    none: 'There are no such actions.',
    next: (lastId) =>
      nextCommand('log', { ...texts, since: since?.toISOString(), limit: givenLimit(limit) }, lastId),
  });
}

function toReport({ id, at, ...action }: RecordedAction) {
  return { action_id: toPublicId('op', id), at: toUnixSeconds(at), ...action };
}

function describeDetails(details: RecordedAction['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}

/** A row of the audit log. */
interface RecordedAction extends OperatorAction {
  id: string;
  at: Date;
}

interface ActionFilter {
  operator?: string | undefined;
  /** The command's words, or the first of them: `account` matches every `account …`. */
  action?: string | undefined;
  /** An account also stands for its keys, sessions, devices, reviews and requests. */
  target?: string | undefined;
  since?: Date | undefined;
  /** Rows older than this one. */
  afterId?: string | undefined;
  limit: number;
}

interface ActionRow extends Omit<OperatorAction, 'details'> {
  id: string;
  at: Date;
  details: ActionDetails;
}

/** The actions of operators, newest first. */
async function listActions(db: Pick<Pool, 'query'>, filter: ActionFilter): Promise<RecordedAction[]> {
  const { rows } = await db.query<ActionRow>(
    `SELECT id, at, operator, via, host(network) AS network, action, target, outcome, details FROM operator_action
     WHERE ($1::text IS NULL OR operator = $1)
       AND ($2::text IS NULL OR action = $2 OR starts_with(action, $2 || ' '))
       AND ($3::text IS NULL OR target = $3 OR details->>'account_id' = $3)
       AND ($4::timestamptz IS NULL OR at >= $4)
       AND ($5::uuid IS NULL OR id < $5)
     ORDER BY id DESC LIMIT $6`,
    [
      ...[filter.operator ?? null, filter.action ?? null, filter.target ?? null],
      ...[filter.since ?? null, filter.afterId ?? null, filter.limit],
    ],
  );
  return rows;
}

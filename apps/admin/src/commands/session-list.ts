import { listAccountSessions, type Accounts, type AccountSession } from '@farebox/accounts';
import { toListPage, toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId, readSessionId } from '../arguments';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';
import { requireAccountId } from '../use-cases/accounts';

interface GivenPage {
  limit: number;
  after?: string;
}

export function addSessionListCommand(session: Command, { read }: Program): void {
  const command = session
    .command('list')
    .description("list an account's live sessions, newest first, those of its devices included")
    .argument('<account>', 'acct_…', readAccountId);
  addPageOptions(command, { of: 'session', description: 'those after this one, sess_…', read: readSessionId })
    .addHelpText('after', '\nExample:\n  admin session list acct_01jd0000000000000000000000')
    .action((accountId: string, given: GivenPage) =>
      read((_pool, accounts) => list(accounts, accountId, given)),
    );
}

async function list(accounts: Accounts, accountId: string, { limit, after }: GivenPage): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const sessions = await listAccountSessions(accountId, accounts, { afterId: after, count: limit + 1 });
  const page = toListPage(sessions.map(toReport), limit, (report) => report.session_id);
  return toListReport(page, {
    columns: [
      { name: 'session' },
      { name: 'last seen' },
      { name: 'ends' },
      { name: 'device' },
      { name: 'client' },
    ],
    toRow: (one) => [
      one.session_id,
      toIso(one.last_seen_at),
      toIso(Math.min(one.idle_expires_at, one.expires_at)),
      one.device_id ?? '',
      one.user_agent ?? '',
    ],
    none: 'The account has no live sessions.',
    next: (lastId) =>
      nextCommand(`session list ${toPublicId('acct', accountId)}`, { limit: givenLimit(limit) }, lastId),
  });
}

function toReport(session: AccountSession) {
  return {
    session_id: toPublicId('sess', session.sessionId),
    device_id: session.deviceId === null ? null : toPublicId('dev', session.deviceId),
    user_agent: session.userAgent,
    created_at: toUnixSeconds(session.createdAt),
    last_seen_at: toUnixSeconds(session.lastSeenAt),
    idle_expires_at: toUnixSeconds(session.idleExpiresAt),
    expires_at: toUnixSeconds(session.expiresAt),
  };
}

function toIso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

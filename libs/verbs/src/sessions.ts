import {
  type Accounts,
  type AccountSession,
  createSession,
  type Device,
  endAccountSession,
  endAllAccountSessions,
  findOwnerOfDevice,
  findOwnerOfSession,
  listAccountSessions,
  listDevices,
  readNow,
  revokeDevice,
} from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/api';
import type { Command } from 'commander';
import { requireAccountId } from './accounts';
import { readDeviceId, readSessionId } from './arguments';
import { readAccount } from './named-accounts';
import type { Change } from './audit-log';
import { NotFoundFailure } from './failures';
import type { Verbs } from './verb';
import type { Report } from './report';
import { addPageOptions, givenLimit, type GivenPage, nextCommand, toListReport, toIso } from './lists';

export const sessionCommands: Verbs = {
  'session create': {
    help: 'start a session of an account; its token is shown once',
    takes: (command) => command.argument('<account>', 'acct_…, or its e-mail address', readAccount),
    examples: ['admin session create acct_01jd0000000000000000000000'],
    run:
      ({ change }) =>
      async (accountId: string) => {
        await change(async ({ accounts, actor, record }) => {
          await requireAccountId(accountId, accounts);
          const { token, expiresAt } = await createSession(accountId, accounts, { actor });
          await record(toPublicId('acct', accountId), { expires_at: expiresAt.toISOString() });
          return {
            json: { session_token: token },
            text: `${token}\nKeep it: it is not shown again. It ends on ${expiresAt.toISOString()} at the latest.`,
          };
        });
      },
  },
  'session list': {
    help: "list an account's live sessions, newest first, including those of its devices",
    takes: (command) =>
      addPageOptions(command.argument('<account>', 'acct_…, or its e-mail address', readAccount), {
        of: 'session',
        description: 'continue after this one, sess_…',
        read: readSessionId,
      }),
    examples: ['admin session list acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (accountId: string, given: GivenPage) =>
        read((_pool, accounts) => listSessionsOf(accounts, accountId, given)),
  },
  'session revoke': {
    help: 'end a session, or all sessions and open links of an account, at once; its owner must sign in again',
    takes: (command) =>
      command
        .argument('[session]', 'sess_…', readSessionId)
        .option('--all-of <account>', 'all sessions of this account, acct_… or e-mail address', readAccount),
    examples: [
      'admin session revoke sess_01jd0000000000000000000000',
      'admin session revoke --all-of acct_01jd0000000000000000000000',
    ],
    run:
      ({ change }, command: Command) =>
      async (sessionId: string | undefined, { allOf }: { allOf?: string }) => {
        if ((sessionId === undefined) === (allOf === undefined)) {
          command.error('error: give the id of a session, or --all-of an account');
        }
        await change((made) =>
          sessionId === undefined ? revokeAll(made, allOf ?? '') : revokeOne(made, sessionId),
        );
      },
  },
};

async function listSessionsOf(
  accounts: Accounts,
  accountId: string,
  { limit, after }: GivenPage,
): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const sessions = await listAccountSessions(accountId, accounts, { afterId: after, count: limit + 1 });
  const page = toListPage(sessions.map(toSessionReport), limit, (report) => report.session_id);
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

function toSessionReport(session: AccountSession) {
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

async function revokeOne({ accounts, actor, record }: Change, sessionId: string): Promise<Report> {
  const id = toPublicId('sess', sessionId);
  const owner = await findOwnerOfSession(accounts, sessionId);
  if (owner === undefined) throw new NotFoundFailure(`There is no session ${id}.`);
  const account_id = toPublicId('acct', owner);
  const found = await endAccountSession(owner, accounts, sessionId, actor);
  const json = { session_id: id, account_id, revoked: found?.isNew ? 1 : 0 };
  if (!found?.isNew) return { json, text: `The session ${id} had ended before.`, unchanged: true };
  await record(id, { account_id });
  return { json, text: `The session ${id} of ${account_id} has ended.` };
}

async function revokeAll({ accounts, actor, record }: Change, accountId: string): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const { sessions: revoked, links, mails } = await endAllAccountSessions(accountId, accounts, actor);
  const id = toPublicId('acct', accountId);
  const json = { account_id: id, revoked, links, mails };
  if (revoked + links + mails === 0) {
    const text = `The account ${id} has no live sessions, no open links and no unsent mails with links.`;
    return { json, text, unchanged: true };
  }
  await record(id, { revoked, links, mails });
  const ended = `${String(revoked)} sessions and ${String(links)} links of ${id} have ended`;
  return { json, text: `${ended}, and ${String(mails)} mails with links are not sent.` };
}

export const deviceCommands: Verbs = {
  'device list': {
    help: "list an account's devices, newest first, including revoked ones",
    takes: (command) =>
      addPageOptions(command.argument('<account>', 'acct_…, or its e-mail address', readAccount), {
        of: 'device',
        description: 'continue after this one, dev_…',
        read: readDeviceId,
      }),
    examples: ['admin device list acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (accountId: string, given: GivenPage) =>
        read((_pool, accounts) => listDevicesOf(accounts, accountId, given)),
  },
  'device revoke': {
    help: 'revoke a device and its session for good, at once',
    takes: (command) =>
      command.argument('<device>', 'dev_…', readDeviceId).option('--yes', 'do not ask for confirmation'),
    examples: ['admin device revoke dev_01jd0000000000000000000000'],
    run:
      ({ change, confirm }) =>
      async (deviceId: string, { yes }: { yes?: true }) => {
        const id = toPublicId('dev', deviceId);
        await confirm(`Revoke ${id}.`, yes);
        await change(async ({ accounts, actor, record }) => {
          const owner = await findOwnerOfDevice(accounts, deviceId);
          if (owner === undefined) throw new NotFoundFailure(`There is no device ${id}.`);
          const account_id = toPublicId('acct', owner);
          const revoked = await revokeDevice(owner, accounts, deviceId, actor);
          const json = { device_id: id, account_id, status: 'revoked' };
          if (!revoked?.isNew) return { json, text: `The device ${id} was revoked before.`, unchanged: true };
          await record(id, { account_id });
          return { json, text: `The device ${id} of ${account_id} is revoked.` };
        });
      },
  },
};

async function listDevicesOf(
  accounts: Accounts,
  accountId: string,
  { limit, after }: GivenPage,
): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const devices = await listDevices(
    accountId,
    accounts,
    { afterId: after, count: limit + 1 },
    await readNow(accounts),
  );
  const page = toListPage(devices.map(toDeviceReport), limit, (report) => report.device_id);
  return toListReport(page, {
    columns: [
      { name: 'device' },
      { name: 'status' },
      { name: 'last seen' },
      { name: 'platform' },
      { name: 'name' },
    ],
    toRow: (one) => [
      ...[one.device_id, one.status],
      one.last_seen_at === null ? 'never' : toIso(one.last_seen_at),
      ...[one.platform, one.name],
    ],
    none: 'The account has no devices.',
    next: (lastId) =>
      nextCommand(`device list ${toPublicId('acct', accountId)}`, { limit: givenLimit(limit) }, lastId),
  });
}

function toDeviceReport(device: Device) {
  return {
    device_id: toPublicId('dev', device.id),
    name: device.name,
    platform: device.platform,
    status: device.status,
    created_at: toUnixSeconds(device.createdAt),
    last_seen_at: device.lastSeenAt && toUnixSeconds(device.lastSeenAt),
    revoked_at: device.revokedAt && toUnixSeconds(device.revokedAt),
  };
}

import {
  findOwnerOfDevice,
  listDevices,
  readNow,
  revokeDevice,
  type Accounts,
  type Device,
} from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/contracts';
import { requireAccountId } from './accounts';
import { readAccountId, readDeviceId } from './arguments';
import { CommandFailure, type CommandRows, type Report } from './command-run';
import { addPageOptions, givenLimit, nextCommand, toListReport } from './lists';

interface GivenPage {
  limit: number;
  after?: string;
}

export const deviceCommands: CommandRows = {
  'device list': {
    help: "list an account's devices, newest first, revoked ones included",
    takes: (command) =>
      addPageOptions(command.argument('<account>', 'acct_…', readAccountId), {
        of: 'device',
        description: 'those after this one, dev_…',
        read: readDeviceId,
      }),
    examples: ['admin device list acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (accountId: string, given: GivenPage) =>
        read((_pool, accounts) => list(accounts, accountId, given)),
  },
  'device revoke': {
    help: 'end a device and its session for good, at once',
    takes: (command) => command.argument('<device>', 'dev_…', readDeviceId).option('--yes', 'do not ask'),
    examples: ['admin device revoke dev_01jd0000000000000000000000'],
    run:
      ({ change, confirm }) =>
      async (deviceId: string, { yes }: { yes?: true }) => {
        const id = toPublicId('dev', deviceId);
        await confirm(`Revoke ${id}.`, yes);
        await change(async ({ accounts, actor, record }) => {
          const owner = await findOwnerOfDevice(accounts, deviceId);
          if (owner === undefined) throw new CommandFailure(`There is no device ${id}.`);
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

async function list(accounts: Accounts, accountId: string, { limit, after }: GivenPage): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const devices = await listDevices(
    accountId,
    accounts,
    { afterId: after, count: limit + 1 },
    await readNow(accounts),
  );
  const page = toListPage(devices.map(toReport), limit, (report) => report.device_id);
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
      one.last_seen_at === null ? 'never' : new Date(one.last_seen_at * 1_000).toISOString(),
      ...[one.platform, one.name],
    ],
    none: 'The account has no devices.',
    next: (lastId) =>
      nextCommand(`device list ${toPublicId('acct', accountId)}`, { limit: givenLimit(limit) }, lastId),
  });
}

function toReport(device: Device) {
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

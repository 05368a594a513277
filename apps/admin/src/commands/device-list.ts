import { deviceStatus, listDevices, type Accounts, type Device } from '@farebox/accounts';
import { toListPage, toUnixSeconds } from '@farebox/contracts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId, readDeviceId } from '../arguments';
import type { Program, Report } from '../command-run';
import { addPageOptions, givenLimit } from '../list-options';
import { toListReport } from '../list-report';
import { nextCommand } from '../next-command';
import { requireAccountId } from '../use-cases/accounts';

interface GivenPage {
  limit: number;
  after?: string;
}

export function addDeviceListCommand(device: Command, { read }: Program): void {
  const command = device
    .command('list')
    .description("list an account's devices, newest first, revoked ones included")
    .argument('<account>', 'acct_…', readAccountId);
  addPageOptions(command, { of: 'device', description: 'those after this one, dev_…', read: readDeviceId })
    .addHelpText('after', '\nExample:\n  admin device list acct_01jd0000000000000000000000')
    .action((accountId: string, given: GivenPage) =>
      read((_pool, accounts) => list(accounts, accountId, given)),
    );
}

async function list(accounts: Accounts, accountId: string, { limit, after }: GivenPage): Promise<Report> {
  await requireAccountId(accountId, accounts);
  const devices = await listDevices(accountId, accounts, { afterId: after, count: limit + 1 });
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
    status: deviceStatus(device),
    created_at: toUnixSeconds(device.createdAt),
    last_seen_at: device.lastSeenAt && toUnixSeconds(device.lastSeenAt),
    revoked_at: device.revokedAt && toUnixSeconds(device.revokedAt),
  };
}

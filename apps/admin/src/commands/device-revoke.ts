import { findOwnerOfDevice, revokeDevice } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readDeviceId } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program } from '../command-run';

export function addDeviceRevokeCommand(device: Command, { change, confirm }: Program): void {
  device
    .command('revoke')
    .description('end a device and its session for good, at once')
    .argument('<device>', 'dev_…', readDeviceId)
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  admin device revoke dev_01jd0000000000000000000000')
    .action(async (deviceId: string, { yes }: { yes?: true }) => {
      const id = toPublicId('dev', deviceId);
      await confirm(`Revoke ${id}.`, yes);
      await change('device revoke', async ({ accounts, record }) => {
        const owner = await findOwnerOfDevice(accounts, deviceId);
        if (owner === undefined) throw new CommandFailure(`There is no device ${id}.`);
        const account_id = toPublicId('acct', owner);
        const revoked = await revokeDevice(owner, accounts, deviceId, () => record(id, { account_id }));
        const json = { device_id: id, account_id, status: 'revoked' };
        if (!revoked?.isNew) return { json, text: `The device ${id} was revoked before.`, unchanged: true };
        return { json, text: `The device ${id} of ${account_id} is revoked.` };
      });
    });
}

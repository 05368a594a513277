import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addDeviceListCommand } from './device-list';
import { addDeviceRevokeCommand } from './device-revoke';

export function addDeviceCommands(root: Command, program: Program): void {
  const device = root.command('device').description("machines of an account's");
  addDeviceListCommand(device, program);
  addDeviceRevokeCommand(device, program);
}

import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addSessionCreateCommand } from './session-create';
import { addSessionListCommand } from './session-list';
import { addSessionRevokeCommand } from './session-revoke';

export function addSessionCommands(root: Command, program: Program): void {
  const session = root.command('session').description('account sessions');
  addSessionCreateCommand(session, program);
  addSessionListCommand(session, program);
  addSessionRevokeCommand(session, program);
}

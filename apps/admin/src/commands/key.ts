import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addKeyCreateCommand } from './key-create';
import { addKeyListCommand } from './key-list';
import { addKeyRevokeCommand } from './key-revoke';

export function addKeyCommands(root: Command, program: Program): void {
  const key = root.command('key').description('API keys');
  addKeyCreateCommand(key, program);
  addKeyListCommand(key, program);
  addKeyRevokeCommand(key, program);
}

import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addActivateCommand, addCreateCommand, addInviteCommand, addSuspendCommand } from './account-access';
import { addAdjustCommand, addCollectCommand, addFundCommand } from './account-funds';
import { addCapsCommand, addCohortCommand, addLowBalanceCommand } from './account-limits';
import { addListCommand, addShowCommand } from './account-show';

export function addAccountCommands(root: Command, program: Program): void {
  const account = root.command('account').description('accounts: create, admit, fund, limit, look at');
  addCreateCommand(account, program);
  addInviteCommand(account, program);
  addActivateCommand(account, program);
  addSuspendCommand(account, program);
  addFundCommand(account, program);
  addAdjustCommand(account, program);
  addCollectCommand(account, program);
  addCapsCommand(account, program);
  addCohortCommand(account, program);
  addLowBalanceCommand(account, program);
  addListCommand(account, program);
  addShowCommand(account, program);
}

import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addActivateCommand, addSuspendCommand } from './account-access';
import { addAdjustCommand } from './account-adjust';
import { addCapsCommand } from './account-caps';
import { addCohortCommand } from './account-cohort';
import { addCollectCommand } from './account-collect';
import { addCreateCommand } from './account-create';
import { addFundCommand } from './account-fund';
import { addInviteCommand } from './account-invite';
import { addListCommand } from './account-list';
import { addLowBalanceCommand } from './account-low-balance';
import { addShowCommand } from './account-show';

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

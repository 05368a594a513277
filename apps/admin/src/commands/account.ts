import type { Command } from 'commander';
import { readAccountId, readEmail, readLine } from '../arguments';
import type { Program } from '../command-run';
import { createAccount } from '../use-cases/create-account';
import { changeInviteStatus, type InviteChange } from '../use-cases/invite-status';
import { addAdjustCommand } from './account-adjust';
import { addCapsCommand } from './account-caps';
import { addCollectCommand } from './account-collect';
import { addFundCommand } from './account-fund';
import { addInviteCommand } from './account-invite';
import { addListCommand } from './account-list';
import { addShowCommand } from './account-show';
import { toPublicId } from '@farebox/ids';

export function addAccountCommands(root: Command, program: Program): void {
  const account = root.command('account').description('accounts: create, admit, fund, limit, look at');
  addCreateCommand(account, program);
  addInviteCommand(account, program);
  addStatusCommand(account, program, 'activate', 'give an account access');
  addStatusCommand(account, program, 'suspend', "take an account's access away, at once");
  addFundCommand(account, program);
  addAdjustCommand(account, program);
  addCollectCommand(account, program);
  addCapsCommand(account, program);
  addListCommand(account, program);
  addShowCommand(account, program);
}

function addCreateCommand(account: Command, { run }: Program): void {
  account
    .command('create')
    .description(
      'create an invited account; the same e-mail and name again answer with the account that is there',
    )
    .requiredOption('--email <address>', 'e-mail address, unique', readEmail)
    .requiredOption('--name <name>', 'name of the customer', readLine)
    .addHelpText('after', '\nExample:\n  admin account create --email ada@example.com --name Ada')
    .action(async (given: { email: string; name: string }) => {
      await run(async (pool) => {
        const { accountId, created } = await createAccount(pool, given);
        const id = toPublicId('acct', accountId);
        return {
          json: { account_id: id },
          text: created
            ? `Created the account ${id}. It has no access yet: admin account activate ${id}`
            : `The account ${id} exists already.`,
        };
      });
    });
}

function addStatusCommand(
  account: Command,
  { run }: Program,
  change: InviteChange,
  description: string,
): void {
  account
    .command(change)
    .description(description)
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', `\nExample:\n  admin account ${change} acct_01jd0000000000000000000000`)
    .action(async (accountId: string) => {
      await run(async (pool) => {
        const status = await changeInviteStatus(accountId, pool, change);
        const id = toPublicId('acct', accountId);
        return { json: { account_id: id, invite_status: status }, text: `The account ${id} is ${status}.` };
      });
    });
}

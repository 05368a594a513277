import { changeInviteStatus, type InviteChange } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { CommandFailure } from '../command-failure';
import { requireFound } from '../use-cases/accounts';

export function addActivateCommand(account: Command, program: Program): void {
  addAccessCommand(account, program, 'activate', 'give an account access');
}

export function addSuspendCommand(account: Command, program: Program): void {
  addAccessCommand(account, program, 'suspend', "take an account's access away, at once");
}

function addAccessCommand(
  account: Command,
  { change }: Program,
  access: InviteChange,
  description: string,
): void {
  account
    .command(access)
    .description(description)
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', `\nExample:\n  admin account ${access} acct_01jd0000000000000000000000`)
    .action(async (accountId: string) => {
      await change(`account ${access}`, async ({ accounts, record }) => {
        const found = requireFound(accountId, await changeInviteStatus(accountId, accounts, access));
        const { before, after } = found;
        if (after === undefined) {
          throw new CommandFailure(`An account whose invite status is "${before}" has no access to suspend.`);
        }
        const id = toPublicId('acct', accountId);
        const report = {
          json: { account_id: id, invite_status: after },
          text: `The account ${id} is ${after}.`,
        };
        if (before === after) return { ...report, unchanged: true };
        await record(id, { invite_status_before: before, invite_status: after });
        return report;
      });
    });
}

import { moveToCohort } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import type { Command } from 'commander';
import { readAccountId, readCohort } from '../arguments';
import type { Program } from '../command-run';
import { CommandFailure } from '../command-failure';
import { requireFound } from '../use-cases/accounts';

export function addCohortCommand(account: Command, { change }: Program): void {
  account
    .command('cohort')
    .description('put an account into another cohort: it has the daily caps and the models of that one')
    .argument('<account>', 'acct_…', readAccountId)
    .requiredOption('--to <cohort>', 'name of the cohort', readCohort)
    .addHelpText('after', '\nExample:\n  admin account cohort acct_01jd0000000000000000000000 --to partners')
    .action(async (accountId: string, { to }: { to: string }) => {
      await change('account cohort', async ({ accounts, record }) => {
        const { before, moved } = requireFound(accountId, await moveToCohort(accountId, accounts, to));
        if (!moved) throw new CommandFailure(`There is no cohort "${to}": admin cohort set ${to}`);
        const id = toPublicId('acct', accountId);
        const report = {
          json: { account_id: id, cohort: to },
          text: `The account ${id} is in the cohort ${to}.`,
        };
        if (before === to) return { ...report, unchanged: true };
        await record(id, { cohort_before: before, cohort: to });
        return report;
      });
    });
}

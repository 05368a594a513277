import { toPublicId } from '@farebox/ids';
import { collectOwed, readOwed } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { requireAccountId } from '../use-cases/accounts';

export function addCollectCommand(account: Command, { change }: Program): void {
  account
    .command('collect')
    .description(
      'take what an account owes from what is available by now. A top-up and an adjustment do it by themselves; to ' +
        'forgive what is owed, give it with "account adjust".',
    )
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', '\nExample:\n  admin account collect acct_01jd0000000000000000000000')
    .action(async (accountId: string) => {
      await change('account collect', async ({ client, record }) => {
        await requireAccountId(accountId, client);
        const owedBefore = await readOwed(client, accountId);
        const owedNow = await collectOwed(client, accountId);
        const owed = toDecimalUsd(owedNow);
        const id = toPublicId('acct', accountId);
        const report = {
          json: { account_id: id, owed, currency: 'usd' },
          text: `The account ${id} owes ${owed} dollars now.`,
        };
        if (owedNow === owedBefore) return { ...report, unchanged: true };
        await record(id, { owed_before: toDecimalUsd(owedBefore), owed });
        return report;
      });
    });
}

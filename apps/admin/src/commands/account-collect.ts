import { toPublicId } from '@farebox/ids';
import { collectOwed, readOwed } from '@farebox/ledger';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { requireAccountId } from '../use-cases/accounts';

export function addCollectCommand(account: Command, { move }: Program): void {
  account
    .command('collect')
    .description(
      'take what an account owes from what is available by now. A top-up and an adjustment do it by themselves; to ' +
        'forgive what is owed, give it with "account adjust".',
    )
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', '\nExample:\n  admin account collect acct_01jd0000000000000000000000')
    .action(async (accountId: string) => {
      await move('account collect', async ({ pool, noting }) => {
        await requireAccountId(accountId, pool);
        const owedBefore = await readOwed(pool, accountId);
        const id = toPublicId('acct', accountId);
        const client = noting({
          target: id,
          details: { owed_before: toDecimalUsd(owedBefore) },
          when: `owed_nano <> '${String(owedBefore)}'`,
          answered: `jsonb_build_object('owed', (owed_nano::numeric / 1000000000)::numeric(30, 9)::text)`,
        });
        const owedNow = await collectOwed(client, accountId);
        const owed = toDecimalUsd(owedNow);
        const report = {
          json: { account_id: id, owed, currency: 'usd' },
          text: `The account ${id} owes ${owed} dollars now.`,
        };
        return owedNow === owedBefore ? { ...report, unchanged: true } : report;
      });
    });
}

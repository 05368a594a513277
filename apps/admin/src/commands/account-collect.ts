import { toPublicId } from '@farebox/ids';
import { collectOwed } from '@farebox/ledger';
import { createPrismaClient } from '@farebox/database';
import { toDecimalUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId } from '../arguments';
import type { Program } from '../command-run';
import { requireAccount } from '../use-cases/accounts';

export function addCollectCommand(account: Command, { run }: Program): void {
  account
    .command('collect')
    .description(
      'take what an account owes from what is available by now. A top-up and an adjustment do it by themselves; to ' +
        'forgive what is owed, give it with "account adjust".',
    )
    .argument('<account>', 'acct_…', readAccountId)
    .addHelpText('after', '\nExample:\n  admin account collect acct_01jd0000000000000000000000')
    .action(async (accountId: string) => {
      await run(async (pool) => {
        await requireAccount(accountId, createPrismaClient(pool));
        const owed = toDecimalUsd(await collectOwed(pool, accountId));
        const id = toPublicId('acct', accountId);
        return {
          json: { account_id: id, owed, currency: 'usd' },
          text: `The account ${id} owes ${owed} dollars now.`,
        };
      });
    });
}

import { changeLowBalance } from '@farebox/accounts';
import { toPublicId } from '@farebox/ids';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readPositiveUsd } from '../arguments';
import type { Program } from '../command-run';
import { requireFound } from '../use-cases/accounts';

interface GivenThreshold {
  below?: NanoUsd;
  off?: boolean;
}

export function addLowBalanceCommand(account: Command, { change }: Program): void {
  const command = account
    .command('low-balance')
    .description('mail the owner of an account once, when less than an amount is available; or no longer')
    .argument('<account>', 'acct_…', readAccountId)
    .option('--below <dollars>', 'more than zero, with at most nine decimal places', readPositiveUsd)
    .option('--off', 'send no such mail')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  admin account low-balance acct_01jd0000000000000000000000 --below 5.00\n' +
        '  admin account low-balance acct_01jd0000000000000000000000 --off',
    );
  command.action(async (accountId: string, { below, off = false }: GivenThreshold) => {
    if ((below === undefined) !== off) command.error('error: give --below or --off');
    await change('account low-balance', async ({ accounts, record }) => {
      const changed = await changeLowBalance(accountId, accounts, below ?? null);
      const { before } = requireFound(accountId, changed);
      const id = toPublicId('acct', accountId);
      const low_balance = toThreshold(below ?? null);
      const report = {
        json: { account_id: id, low_balance, currency: 'usd' },
        text:
          low_balance === null
            ? `The owner of ${id} is not mailed about a low balance.`
            : `The owner of ${id} is mailed when less than ${low_balance} dollars are available.`,
      };
      if (before === (below ?? null)) return { ...report, unchanged: true };
      await record(id, { low_balance_before: toThreshold(before), low_balance });
      return report;
    });
  });
}

function toThreshold(thresholdNano: NanoUsd | null): string | null {
  return thresholdNano === null ? null : toDecimalUsd(thresholdNano);
}

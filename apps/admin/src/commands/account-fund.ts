import { toPublicId } from '@farebox/ids';
import { NoSuchAccountError, ReferenceTakenError, topUp } from '@farebox/ledger';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readLine, readPositiveUsd } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program } from '../command-run';
import { noSuchAccount } from '../use-cases/accounts';

/** How a payment that an operator enters is recorded. */
const METHOD = 'manual';

export function addFundCommand(account: Command, { run }: Program): void {
  account
    .command('fund')
    .description('credit an account, once for each reference: run twice, it pays once')
    .argument('<account>', 'acct_…', readAccountId)
    .requiredOption('--amount <dollars>', 'more than zero, with at most nine decimal places', readPositiveUsd)
    .requiredOption('--reference <text>', 'names the payment, unique', readLine)
    .addHelpText(
      'after',
      '\nExample:\n  admin account fund acct_01jd0000000000000000000000 --amount 25.00 --reference wire-17',
    )
    .action(async (accountId: string, { amount, reference }: { amount: NanoUsd; reference: string }) => {
      await run(async (pool) => {
        const credit = { accountId, amountNano: amount, method: METHOD, reference };
        const { fundingId, balanceAfterNano, created } = await topUp(pool, credit).catch(
          toFailure(accountId),
        );
        const json = {
          account_id: toPublicId('acct', accountId),
          funding_id: toPublicId('fund', fundingId),
          amount: toDecimalUsd(amount),
          currency: 'usd',
          balance_after: toDecimalUsd(balanceAfterNano),
          created,
        };
        return {
          json,
          text: created
            ? `Credited ${json.amount} dollars to ${json.account_id}. Balance: ${json.balance_after} dollars.`
            : `The reference ${reference} was credited before: nothing changed.`,
        };
      });
    });
}

function toFailure(accountId: string) {
  return (error: unknown): never => {
    if (error instanceof NoSuchAccountError) throw noSuchAccount(accountId);
    if (error instanceof ReferenceTakenError) throw new CommandFailure(error.message);
    throw error;
  };
}

import { toPublicId } from '@farebox/ids';
import {
  adjustBalance,
  InsufficientFundsError,
  NoSuchAccountError,
  ReferenceTakenError,
  type Adjustment,
} from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readAccountId, readLine, readSignedUsd } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { requireOperatorName } from '../operator-name';
import { noSuchAccount } from '../use-cases/accounts';

interface GivenAdjustment {
  amount: NanoUsd;
  reason: string;
  reference: string;
  by?: string;
}

export function addAdjustCommand(account: Command, { run, surroundings }: Program): void {
  account
    .command('adjust')
    .description('correct a balance by hand, once for each reference: run twice, it is corrected once')
    .argument('<account>', 'acct_…', readAccountId)
    .requiredOption('--amount <dollars>', 'given to the customer; taken where it is negative', readSignedUsd)
    .requiredOption('--reason <text>', 'why, for the books', readLine)
    .requiredOption('--reference <text>', 'names the correction, unique', readLine)
    .option('--by <name>', "who corrects it; default: the operating system's user name", readLine)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  admin account adjust acct_01jd0000000000000000000000 --amount 2.50 --reason goodwill --reference case-7\n' +
        '  admin account adjust acct_01jd0000000000000000000000 --amount -5 --reason "paid back" --reference case-8',
    )
    .action(async (accountId: string, { amount, by, ...given }: GivenAdjustment) => {
      const madeBy = requireOperatorName(by, surroundings);
      await run((pool) => adjust(pool, { accountId, amountNano: amount, madeBy, ...given }));
    });
}

async function adjust(pool: Pool, adjustment: Adjustment): Promise<Report> {
  const { accountId, amountNano, reference } = adjustment;
  const { adjustmentId, balanceAfterNano, created } = await adjustBalance(pool, adjustment).catch(
    toFailure(accountId, amountNano),
  );
  const json = {
    account_id: toPublicId('acct', accountId),
    transaction_id: toPublicId('txn', adjustmentId),
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    balance_after: toDecimalUsd(balanceAfterNano),
    created,
  };
  const moved =
    amountNano > 0n
      ? `Gave ${json.amount} dollars to ${json.account_id}.`
      : `Took ${withoutSign(amountNano)} dollars from ${json.account_id}.`;
  return {
    json,
    text: created
      ? `${moved} Balance: ${json.balance_after} dollars.`
      : `The correction ${reference} was made before: nothing changed.`,
  };
}

function toFailure(accountId: string, amountNano: NanoUsd) {
  return (error: unknown): never => {
    if (error instanceof NoSuchAccountError) throw noSuchAccount(accountId);
    if (error instanceof ReferenceTakenError) throw new CommandFailure(error.message);
    if (error instanceof InsufficientFundsError) {
      const id = toPublicId('acct', accountId);
      throw new CommandFailure(
        `Less than ${withoutSign(amountNano)} dollars is available on the account ${id}: nothing was taken.`,
      );
    }
    throw error;
  };
}

function withoutSign(amountNano: NanoUsd): string {
  return toDecimalUsd(amountNano < 0n ? toNanoUsd(0n - amountNano) : amountNano);
}

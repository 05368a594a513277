import { toPublicId, uuidV7 } from '@farebox/ids';
import { NoSuchAccountError, ReferenceTakenError, topUp, type TopUp } from '@farebox/ledger';
import { toDecimalUsd, type NanoUsd } from '@farebox/money';
import type { Command } from 'commander';
import { readAccountId, readLine, readPositiveUsd } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Movement } from '../audit/run-movement';
import type { Program, Report } from '../command-run';
import { noSuchAccount } from '../use-cases/accounts';

interface GivenPayment {
  amount: NanoUsd;
  reference: string;
  yes?: true;
}

/** How a payment that an operator enters is recorded. */
const METHOD = 'manual';

export function addFundCommand(account: Command, { move, confirm }: Program): void {
  account
    .command('fund')
    .description('credit an account, once for each reference: run twice, it pays once')
    .argument('<account>', 'acct_…', readAccountId)
    .requiredOption('--amount <dollars>', 'more than zero, with at most nine decimal places', readPositiveUsd)
    .requiredOption('--reference <text>', 'names the payment, unique', readLine)
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExample:\n  admin account fund acct_01jd0000000000000000000000 --amount 25.00 --reference wire-17',
    )
    .action(async (accountId: string, { amount, reference, yes }: GivenPayment) => {
      await confirm(`Credit ${toDecimalUsd(amount)} dollars to ${toPublicId('acct', accountId)}.`, yes);
      const credit = { accountId, amountNano: amount, method: METHOD, reference };
      await move('account fund', (made) => fund(made, credit));
    });
}

async function fund({ noting }: Movement, credit: TopUp): Promise<Report> {
  const { accountId, amountNano, reference } = credit;
  const newId = uuidV7();
  const client = noting({
    target: toPublicId('acct', accountId),
    details: { amount: toDecimalUsd(amountNano), reference, funding_id: toPublicId('fund', newId) },
    when: 'created',
  });
  const { fundingId, balanceAfterNano, created } = await topUp(client, { ...credit, fundingId: newId }).catch(
    toFailure(accountId),
  );
  const json = {
    account_id: toPublicId('acct', accountId),
    funding_id: toPublicId('fund', fundingId),
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    balance_after: toDecimalUsd(balanceAfterNano),
    created,
  };
  if (!created) {
    return {
      json,
      text: `The reference ${reference} was credited before: nothing changed.`,
      unchanged: true,
    };
  }
  const { account_id, amount } = json;
  return {
    json,
    text: `Credited ${amount} dollars to ${account_id}. Balance: ${json.balance_after} dollars.`,
  };
}

function toFailure(accountId: string) {
  return (error: unknown): never => {
    if (error instanceof NoSuchAccountError) throw noSuchAccount(accountId);
    if (error instanceof ReferenceTakenError) throw new CommandFailure(error.message);
    throw error;
  };
}

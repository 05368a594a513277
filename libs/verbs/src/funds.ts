import { openAccounts } from '@farebox/accounts';
import { toPublicId, uuidV7 } from '@farebox/auth';
import {
  adjustBalance,
  collectOwed,
  InsufficientFundsError,
  NoSuchAccountError,
  readOwed,
  ReferenceTakenError,
  topUp,
  type Adjustment,
  type TopUp,
} from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import { noSuchAccount, requireAccount, requireAccountId } from './accounts';
import { readLine, readPositiveUsd, readSignedUsd } from './arguments';
import { readAccount } from './named-accounts';
import type { Movement } from './audit-log';
import { CommandFailure } from './failures';
import type { Verbs } from './verb';
import type { Report } from './report';

interface GivenPayment {
  amount: NanoUsd;
  reference: string;
  yes?: true;
}

/** The payment method of a payment that an operator enters. */
const METHOD = 'manual';

export const fundCommands: Verbs = {
  'account fund': {
    help: 'credit an account, once per reference: a repetition changes nothing',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .requiredOption(
          '--amount <dollars>',
          'more than zero, with at most nine decimal places',
          readPositiveUsd,
        )
        .requiredOption('--reference <text>', 'identifies the payment, unique', readLine)
        .option('--yes', 'do not ask for confirmation'),
    examples: ['admin account fund acct_01jd0000000000000000000000 --amount 25.00 --reference wire-17'],
    run:
      ({ move, confirm }) =>
      async (accountId: string, { amount, reference, yes }: GivenPayment) => {
        const credit = { accountId, amountNano: amount, method: METHOD, reference };
        await move(async (made) => {
          const customer = await describeCustomer(made, accountId);
          await confirm(`Credit ${toDecimalUsd(amount)} dollars to ${customer}.`, yes);
          return fund(made, credit);
        });
      },
  },
  'account adjust': {
    help: 'correct a balance by hand, once per reference: a repetition changes nothing',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .requiredOption('--amount <dollars>', 'given to the customer, or taken if negative', readSignedUsd)
        .requiredOption('--reason <text>', 'reason for the books', readLine)
        .requiredOption('--reference <text>', 'identifies the correction, unique', readLine)
        .option('--yes', 'do not ask for confirmation'),
    examples: [
      'admin account adjust acct_01jd0000000000000000000000 --amount 2.50 --reason goodwill --reference case-7',
      'admin account adjust acct_01jd0000000000000000000000 --amount -5 --reason "paid back" --reference case-8',
    ],
    run:
      ({ move, confirm }) =>
      async (accountId: string, { amount, reason, reference, yes }: GivenAdjustment) => {
        await move(async (made) => {
          await confirm(questionOf(await describeCustomer(made, accountId), amount), yes);
          return adjust(made, { accountId, amountNano: amount, madeBy: made.operator, reason, reference });
        });
      },
  },
  'account collect': {
    help:
      'collect the debt of an account from its available balance. Top-ups and adjustments do so automatically; to ' +
      'forgive a debt, adjust the account by its amount.',
    takes: (command) => command.argument('<account>', 'acct_…, or its e-mail address', readAccount),
    examples: ['admin account collect acct_01jd0000000000000000000000'],
    run:
      ({ move }) =>
      async (accountId: string) => {
        await move(async ({ pool, noting }) => {
          await requireAccountId(accountId, openAccounts(pool));
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
      },
  },
};

/** For a question about their money. Throws `CommandFailure` if there is no such account. */
async function describeCustomer({ pool }: Movement, accountId: string): Promise<string> {
  const { name, email } = await requireAccount(accountId, openAccounts(pool));
  return `${name} <${email}>, ${toPublicId('acct', accountId)}`;
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
    toFailure(accountId, amountNano),
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

interface GivenAdjustment {
  amount: NanoUsd;
  reason: string;
  reference: string;
  yes?: true;
}

function questionOf(customer: string, amountNano: NanoUsd): string {
  return amountNano > 0n
    ? `Give ${toDecimalUsd(amountNano)} dollars to ${customer}.`
    : `Take ${withoutSign(amountNano)} dollars from ${customer}.`;
}

async function adjust({ noting }: Movement, adjustment: Adjustment): Promise<Report> {
  const { accountId, amountNano, reason, reference } = adjustment;
  const newId = uuidV7();
  const client = noting({
    target: toPublicId('acct', accountId),
    details: {
      amount: toDecimalUsd(amountNano),
      reason,
      reference,
      transaction_id: toPublicId('txn', newId),
    },
    when: 'created',
  });
  const { adjustmentId, balanceAfterNano, created } = await adjustBalance(client, {
    ...adjustment,
    adjustmentId: newId,
  }).catch(toFailure(accountId, amountNano));
  const json = {
    account_id: toPublicId('acct', accountId),
    transaction_id: toPublicId('txn', adjustmentId),
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    balance_after: toDecimalUsd(balanceAfterNano),
    created,
  };
  if (!created) {
    return { json, text: `The correction ${reference} was made before: nothing changed.`, unchanged: true };
  }
  const { account_id, amount } = json;
  const moved =
    amountNano > 0n
      ? `Gave ${amount} dollars to ${account_id}.`
      : `Took ${withoutSign(amountNano)} dollars from ${account_id}.`;
  return { json, text: `${moved} Balance: ${json.balance_after} dollars.` };
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

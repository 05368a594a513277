import { findEmails, openAccounts, type Accounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/api';
import {
  closeDispute,
  findDispute,
  findPayment,
  listDisputes,
  openDispute,
  type Dispute,
  type DisputeState,
} from '@farebox/billing';
import { type NanoUsd, toDecimalUsd, toNanoUsd } from '@farebox/money';
import { type Command, Option } from 'commander';
import type { Pool } from 'pg';
import { requireAccount } from './accounts';
import { readDisputeId, readLine, readPositiveUsd } from './arguments';
import type { Movement } from './audit-log';
import { CommandFailure, NotFoundFailure } from './failures';
import {
  addPageOptions,
  givenLimit,
  nextCommand,
  toListReport,
  type Column,
  type GivenPage,
  toIso,
} from './lists';
import { readAccount } from './named-accounts';
import type { Report } from './report';
import type { Verbs } from './verb';

export const disputeCommands: Verbs = {
  'dispute list': {
    help: "list disputes (chargebacks), newest first: Stripe's and those that operators opened",
    takes: (command) =>
      addPageOptions(
        command
          .addOption(
            new Option('--state <state>', 'only those in this state').choices(STATES).default('open'),
          )
          .option('--account <account>', 'only those of this account, acct_… or e-mail address', readAccount),
        { of: 'dispute', description: 'continue after this one, disp_…', read: readDisputeId },
      ),
    examples: [
      'admin dispute list',
      'admin dispute list --state all --account acct_01jd0000000000000000000000',
    ],
    run:
      ({ read }) =>
      (filter: GivenFilter) =>
        read((pool, accounts) => list(pool, accounts, filter)),
  },
  'dispute open': {
    help:
      'take back a payment that the bank of its payer has taken back, once per reference; Stripe reports those of card ' +
      'payments by itself',
    takes: (command) =>
      command
        .requiredOption('--payment <text>', 'the reference that the payment was credited with', readLine)
        .requiredOption('--reference <text>', 'identifies the dispute, unique', readLine)
        .option('--amount <dollars>', 'if it is not the whole payment', readPositiveUsd)
        .option('--yes', 'do not ask for confirmation'),
    examples: ['admin dispute open --payment wire-17 --reference case-9'],
    run:
      ({ move, confirm }) =>
      async (given: GivenDispute) => {
        await move((made) => takeBack(made, given, confirm));
      },
  },
  'dispute close': {
    help: 'say how a dispute ended: a won one gives its amount back; Stripe reports the end of its own',
    takes: (command) =>
      command
        .argument('<dispute>', 'disp_…', readDisputeId)
        .option('--won', 'give the amount back to the customer')
        .option('--lost', 'the amount stays taken')
        .option('--yes', 'do not ask for confirmation'),
    examples: ['admin dispute close disp_01jd0000000000000000000000 --won'],
    run:
      ({ move, confirm }, command: Command) =>
      async (disputeId: string, { won, lost, yes }: { won?: true; lost?: true; yes?: true }) => {
        if (won === lost) command.error('error: say --won or --lost');
        const state = won ? 'won' : 'lost';
        await move((made) => end(made, { disputeId, state }, (question) => confirm(question, yes)));
      },
  },
};

const STATES = ['open', 'won', 'lost', 'all'] as const satisfies readonly (DisputeState | 'all')[];

interface GivenFilter extends GivenPage {
  state: DisputeState | 'all';
  account?: string;
}

const COLUMNS: readonly Column[] = [
  ...[{ name: 'dispute' }, { name: 'e-mail' }, { name: 'payment' }, { name: 'reference' }],
  ...[
    { name: 'dollars', align: 'right' as const },
    { name: 'owed', align: 'right' as const },
  ],
  ...[{ name: 'state' }, { name: 'opened' }],
];

async function list(pool: Pool, accounts: Accounts, filter: GivenFilter): Promise<Report> {
  const { state, account, limit, after } = filter;
  const found = await listDisputes(pool, {
    ...{ limit: limit + 1, afterId: after, accountId: account },
    state: state === 'all' ? undefined : state,
  });
  const emails = await findEmails(accounts, [...new Set(found.map(({ accountId }) => accountId))]);
  const records = found.map((one) => ({ ...toRecord(one), email: emails.get(one.accountId) ?? '' }));
  const options = {
    state: state === 'open' ? undefined : state,
    account: account === undefined ? undefined : toPublicId('acct', account),
    limit: givenLimit(limit),
  };
  return toListReport(
    toListPage(records, limit, (record) => record.dispute_id),
    {
      columns: COLUMNS,
      toRow: (one) => [
        ...[one.dispute_id, one.email, one.payment, one.reference, one.amount, one.owed, one.state],
        toIso(one.opened_at),
      ],
      none: state === 'all' ? 'There are no disputes.' : `No dispute is ${state}.`,
      next: (lastId) => nextCommand('dispute list', options, lastId),
    },
  );
}

function toRecord({ id, accountId, amountNano, takenNano, openedAt, closedAt, ...dispute }: Dispute) {
  return {
    dispute_id: toPublicId('disp', id),
    account_id: toPublicId('acct', accountId),
    payment: dispute.payment,
    reference: dispute.reference,
    amount: toDecimalUsd(amountNano),
    owed: toDecimalUsd(toNanoUsd(amountNano - takenNano)),
    currency: 'usd',
    state: dispute.state,
    opened_by: dispute.madeBy,
    opened_at: toUnixSeconds(openedAt),
    closed_at: closedAt && toUnixSeconds(closedAt),
  };
}

interface GivenDispute {
  payment: string;
  reference: string;
  amount?: NanoUsd;
  yes?: true;
}

async function takeBack(
  { pool, operator, noting }: Movement,
  { payment, reference, amount, yes }: GivenDispute,
  confirm: (question: string, isConfirmed: boolean | undefined) => Promise<void>,
): Promise<Report> {
  const paid = await findPayment(pool, payment);
  if (!paid) throw new NotFoundFailure(`There is no payment with the reference ${payment}.`);
  if (paid.method === 'card')
    throw new CommandFailure('It was paid by card: its disputes come from Stripe by themselves.');
  if (paid.method !== 'manual') throw new CommandFailure('It was given, not paid: take it by an adjustment.');
  const amountNano = amount ?? paid.amountNano;
  const dollars = toDecimalUsd(amountNano);
  const account = await requireAccount(paid.accountId, openAccounts(pool));
  const accountId = toPublicId('acct', account.id);
  await confirm(
    `Take ${dollars} dollars of the payment ${payment} from ${account.name} <${account.email}>, ${accountId}.`,
    yes,
  );
  const client = noting({
    target: accountId,
    details: { amount: dollars, payment, reference },
    when: 'created',
  });
  const opened = await openDispute(client, {
    fundingId: paid.fundingId,
    amountNano,
    reference,
    madeBy: operator,
  });
  if (!opened)
    throw new CommandFailure(
      `Nothing was taken: ${dollars} dollars is more than is left of the payment ${payment}, or the reference ${reference} was used for another dispute.`,
    );
  const { disputeId, created, takenNano } = opened;
  const owed = toDecimalUsd(toNanoUsd(amountNano - takenNano));
  const json = {
    dispute_id: toPublicId('disp', disputeId),
    account_id: accountId,
    amount: dollars,
    taken: toDecimalUsd(takenNano),
    owed,
    currency: 'usd',
    created,
  };
  if (!created)
    return { json, text: `The dispute ${reference} was opened before: nothing changed.`, unchanged: true };
  const rest = takenNano === amountNano ? '' : ` Of that, ${owed} are owed, and the account is suspended.`;
  return {
    json,
    text: `Took ${dollars} dollars from ${accountId}.${rest} The dispute is ${json.dispute_id}.`,
  };
}

async function end(
  { pool, operator, noting }: Movement,
  { disputeId, state }: { disputeId: string; state: 'won' | 'lost' },
  confirm: (question: string) => Promise<void>,
): Promise<Report> {
  const id = toPublicId('disp', disputeId);
  const dispute = await findDispute(pool, disputeId);
  if (!dispute) throw new NotFoundFailure(`There is no dispute ${id}.`);
  const byStripe = 'Stripe decides about this dispute, and gives its money back by itself.';
  if (state === 'won' && dispute.isOfStripe) throw new CommandFailure(byStripe);
  const { name, email } = await requireAccount(dispute.accountId, openAccounts(pool));
  const dollars = toDecimalUsd(dispute.amountNano);
  await confirm(
    state === 'won'
      ? `Give ${dollars} dollars back to ${name} <${email}>.`
      : `Close the dispute of ${dollars} dollars of ${name} <${email}> as lost.`,
  );
  const client = noting({ target: id, details: { state, amount: dollars }, when: 'changed' });
  const changed = await closeDispute(client, { disputeId, state, madeBy: operator });
  if (changed === undefined) throw new CommandFailure(byStripe);
  const json = { dispute_id: id, account_id: toPublicId('acct', dispute.accountId), state, changed };
  if (!changed)
    return { json, text: `The dispute ${id} was closed before: nothing changed.`, unchanged: true };
  return {
    json,
    text: `The dispute ${id} is ${state}${state === 'won' ? `: gave ${dollars} dollars back` : ''}.`,
  };
}

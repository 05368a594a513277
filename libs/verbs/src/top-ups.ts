import { openAccounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toUnixSeconds } from '@farebox/api';
import {
  listTopUpPayments,
  readAutomaticTopUp,
  type AutomaticTopUp,
  type TopUpPayment,
} from '@farebox/billing';
import { toDecimalUsd } from '@farebox/money';
import type { Pool } from 'pg';
import { requireAccountId } from './accounts';
import { readLimit } from './arguments';
import { readAccount } from './named-accounts';
import type { Verbs } from './verb';
import { type Column, DEFAULT_LIMIT, toTable, toIso } from './lists';
import type { Report } from './report';

export const topUpCommands: Verbs = {
  'account top-ups': {
    help: 'show the automatic top-up of an account and its newest payments, with their ids at Stripe',
    takes: (command) =>
      command
        .argument('<account>', 'acct_…, or its e-mail address', readAccount)
        .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT),
    examples: ['admin account top-ups acct_01jd0000000000000000000000'],
    run:
      ({ read }) =>
      (accountId: string, { limit }: { limit: number }) =>
        read((pool) => look(pool, accountId, limit)),
  },
};

const COLUMNS: readonly Column[] = [
  { name: 'began' },
  { name: 'dollars', align: 'right' },
  { name: 'state' },
  { name: 'failure' },
  { name: "Stripe's payment" },
];

async function look(pool: Pool, accountId: string, limit: number): Promise<Report> {
  await requireAccountId(accountId, openAccounts(pool));
  const topUp = await readAutomaticTopUp(pool, accountId);
  const payments = (await listTopUpPayments(pool, accountId, limit)).map(toRecord);
  const { order, card, offReason, monthNano } = topUp;
  const json = {
    account_id: toPublicId('acct', accountId),
    enabled: order?.isOn ?? false,
    off_reason: offReason,
    threshold: order ? toDecimalUsd(order.thresholdNano) : null,
    amount: order ? toDecimalUsd(order.amountNano) : null,
    monthly_ceiling: order ? toDecimalUsd(order.monthlyCeilingNano) : null,
    charged_this_month: toDecimalUsd(monthNano),
    currency: 'usd',
    card: card ? `${card.brand} ${card.lastFour}` : null,
    payments,
  };
  const rows = payments.map((payment) => [
    toIso(payment.created_at),
    ...[payment.amount, payment.state, payment.failure ?? '', payment.stripe_payment_id ?? ''],
  ]);
  const table = rows.length === 0 ? 'No payment was attempted.' : toTable(COLUMNS, rows);
  return { json, text: `${toSentence(topUp)}\n${table}` };
}

function toRecord({ id, amountNano, state, failure, createdAt, endedAt, paymentIntentId }: TopUpPayment) {
  return {
    top_up_id: toPublicId('chk', id),
    amount: toDecimalUsd(amountNano),
    state,
    failure,
    stripe_payment_id: paymentIntentId,
    created_at: toUnixSeconds(createdAt),
    ended_at: endedAt && toUnixSeconds(endedAt),
  };
}

function toSentence({ order, offReason, monthNano, card }: AutomaticTopUp): string {
  if (!order) return 'Automatic top-up was never ordered.';
  const { thresholdNano, amountNano, monthlyCeilingNano } = order;
  const amounts =
    `${toDecimalUsd(amountNano)} dollars below ${toDecimalUsd(thresholdNano)}, ` +
    `${toDecimalUsd(monthNano)} of at most ${toDecimalUsd(monthlyCeilingNano)} this month`;
  const paidBy = card ? `card ${card.brand} ${card.lastFour}` : 'no card';
  const state = order.isOn ? 'on' : `off (${offReason ?? 'unknown'})`;
  return `Automatic top-up is ${state}: ${amounts}, ${paidBy}.`;
}

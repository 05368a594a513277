import { openAccounts } from '@farebox/accounts';
import { fromRequestId, toPublicId, uuidV7 } from '@farebox/auth';
import { USAGE_OUTCOMES, type UsageOutcome } from '@farebox/errors';
import { listRefundable, refundCharge, type ChargesToRefund, type RefundableCharge } from '@farebox/ledger';
import { fromDecimalUsd, toDecimalUsd, toNanoUsd, type NanoUsd } from '@farebox/money';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { requireAccountId } from './accounts';
import { readLine, readTime } from './arguments';
import { readAccount } from './named-accounts';
import type { Movement } from './audit-log';
import { CommandFailure } from './failures';
import type { Verbs } from './verb';
import { toTable } from './lists';
import type { Report } from './report';

interface GivenRefund {
  account?: string;
  from?: Date;
  to?: Date;
  outcome?: UsageOutcome;
  model?: string;
  reason: string;
  yes?: true;
}

/** More are refunded in parts, by time. */
const MOST_CHARGES = 10_000;
/** Charges that the preview lists. */
const MOST_SHOWN = 20;

export const refundCommands: Verbs = {
  'request refund': {
    help:
      'give back what requests cost, each once, after showing them: to the balance, the spend of the day and of the ' +
      'key. Select them by id, or by account and time.',
    takes: (command) =>
      command
        .argument('[request...]', 'req_…, or the id of its response', collectRequestIds)
        .option('--account <account>', 'requests of this account, acct_… or e-mail address', readAccount)
        .option('--from <time>', 'with --account: charged from then on, like 2026-11-01', readTime)
        .option('--to <time>', 'with --account: charged before then (default: now)', readTime)
        .addOption(
          new Option('--outcome <outcome>', 'with --account: ended like this').choices(USAGE_OUTCOMES),
        )
        .option('--model <id>', 'with --account: of this model', readLine)
        .requiredOption('--reason <text>', 'why, for the audit log', readLine)
        .option('--yes', 'do not ask for confirmation'),
    examples: [
      'admin request refund req_01jd0000000000000000000000 --reason "wrong answer, case 7"',
      'admin request refund --account acct_01jd0000000000000000000000 --from 2026-11-25 --outcome upstream_failed --reason outage',
    ],
    run:
      ({ moveEach, confirm }, command: Command) =>
      async (ids: string[], given: GivenRefund) => {
        const charges = chargesOf(command, ids, given);
        await moveEach(
          async (pool) => {
            const found = await findCharges(pool, charges);
            if (found.length > 0)
              await confirm(`${preview(found)}\nGive back ${describeSum(found)}.`, given.yes);
            return found;
          },
          (movement, charge) => refund(movement, charge, given.reason),
          conclude,
        );
      },
  },
};

/** Commander calls it for each id. */
function collectRequestIds(text: string, former: readonly string[] | undefined): string[] {
  const id = fromRequestId(text);
  if (id === undefined) throw new InvalidArgumentError('The id of a request looks like req_01jd….');
  return [...(former ?? []), id];
}

function chargesOf(
  command: Command,
  ids: readonly string[],
  { account, from, to = new Date(), outcome, model }: GivenRefund,
): ChargesToRefund {
  if (account === undefined) {
    if (ids.length === 0) command.error('error: give requests, or an --account and --from');
    return { ids };
  }
  if (ids.length > 0 || from === undefined) command.error('error: give requests, or an --account and --from');
  return { accountId: account, from, to, outcome, modelId: model };
}

async function findCharges(pool: Pool, charges: ChargesToRefund): Promise<RefundableCharge[]> {
  if ('accountId' in charges) await requireAccountId(charges.accountId, openAccounts(pool));
  const found = await listRefundable(pool, charges, MOST_CHARGES + 1);
  if (found.length > MOST_CHARGES)
    throw new CommandFailure(
      `There are more than ${String(MOST_CHARGES)} such requests: give a shorter time.`,
    );
  return found;
}

function preview(found: readonly RefundableCharge[]): string {
  const table = toTable(
    [
      { name: 'request' },
      { name: 'when' },
      { name: 'account' },
      { name: 'model' },
      { name: 'cost', align: 'right' },
    ],
    found
      .slice(0, MOST_SHOWN)
      .map(({ id, accountId, modelId, costNano, createdAt }) => [
        ...[toPublicId('req', id), createdAt.toISOString(), toPublicId('acct', accountId), modelId],
        toDecimalUsd(costNano),
      ]),
  );
  const more = found.length - MOST_SHOWN;
  return more > 0 ? `${table}\nand ${String(more)} more` : table;
}

function describeSum(found: readonly Pick<RefundableCharge, 'costNano'>[]): string {
  const sum = toDecimalUsd(sumOf(found.map(({ costNano }) => costNano)));
  return `${sum} dollars for ${String(found.length)} ${found.length === 1 ? 'request' : 'requests'}`;
}

const sumOf = (amounts: readonly NanoUsd[]): NanoUsd =>
  toNanoUsd(amounts.reduce((sum, one) => sum + one, 0n));

async function refund(
  { noting }: Movement,
  { id, accountId, costNano }: RefundableCharge,
  reason: string,
): Promise<Report> {
  const target = toPublicId('req', id);
  const refundId = uuidV7();
  const details = {
    ...{ account_id: toPublicId('acct', accountId), amount: toDecimalUsd(costNano), reason },
    transaction_id: toPublicId('txn', refundId),
  };
  const isRefunded = await refundCharge(noting({ target, details, when: 'refunded' }), id, refundId);
  return { json: { request_id: target, ...details, refunded: isRefunded }, text: target };
}

interface Refunded {
  amount: string;
  refunded: boolean;
}

function conclude(reports: readonly Report[]): Report {
  const data = reports.map(({ json }) => json as unknown as Refunded);
  const done = data.filter(({ refunded }) => refunded);
  const sum = done.map(({ amount }) => ({ costNano: fromDecimalUsd(amount) }));
  return {
    json: { object: 'list', data },
    text: done.length === 0 ? 'No such request has a charge to give back.' : `Gave back ${describeSum(sum)}.`,
  };
}

import { findEmails, type Accounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toListPage, toUnixSeconds } from '@farebox/api';
import {
  createVouchers,
  listVouchers,
  revokeVouchers,
  type Voucher,
  type VoucherState,
} from '@farebox/billing';
import { type NanoUsd, toDecimalUsd, toNanoUsd } from '@farebox/money';
import { type Command, Option } from 'commander';
import type { Pool } from 'pg';
import {
  readCount,
  readLine,
  readPositiveUsd,
  readTime,
  readVoucherBatchId,
  readVoucherId,
} from './arguments';
import type { Change } from './audit-log';
import { CommandFailure, NotFoundFailure } from './failures';
import {
  addPageOptions,
  countOf,
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

export const voucherCommands: Verbs = {
  'voucher create': {
    help: 'make codes, each worth an amount once, and show them, once',
    takes: (command) =>
      command
        .requiredOption(
          '--amount <dollars>',
          'worth of each, with at most nine decimal places',
          readPositiveUsd,
        )
        .requiredOption(
          '--expires <time>',
          'when they expire, like 2027-01-31; a day begins in UTC',
          readTime,
        )
        .option('--count <count>', 'how many, up to 1000', readCount, 1)
        .option('--per-account <count>', 'how many of them an account may redeem; default: all', readCount)
        .option('--note <text>', 'what they are for; customers do not see it', readLine)
        .option('--yes', 'do not ask for confirmation'),
    examples: [
      'admin voucher create --amount 10.00 --count 20 --expires 2099-01-31 --per-account 1 --note "meetup in May"',
    ],
    run:
      ({ change, confirm }) =>
      async (given: GivenVouchers) => {
        if (given.expires.getTime() <= Date.now())
          throw new CommandFailure('They would have expired already.');
        await confirm(`${inWords(given)}.`, given.yes);
        await change((made) => create(made, given));
      },
  },
  'voucher list': {
    help: 'list vouchers, newest first, with who redeemed them and when',
    takes: (command) =>
      addPageOptions(
        command
          .addOption(new Option('--state <state>', 'only those in this state').choices(STATES))
          .option('--batch <batch>', 'only those that were made together, vbat_…', readVoucherBatchId)
          .option(
            '--account <account>',
            'only those that this account redeemed, acct_… or e-mail address',
            readAccount,
          ),
        { of: 'voucher', description: 'continue after this one, vch_…', read: readVoucherId },
      ),
    examples: [
      'admin voucher list --state redeemed',
      'admin voucher list --batch vbat_01jd0000000000000000000000',
    ],
    run:
      ({ read }) =>
      (filter: GivenFilter) =>
        read((pool, accounts) => list(pool, accounts, filter)),
  },
  'voucher revoke': {
    help: 'revoke a voucher, or all of a batch, for good; what was redeemed stays on the balance',
    takes: (command) =>
      command
        .argument('[voucher]', 'vch_…', readVoucherId)
        .option('--batch <batch>', 'all that were made together, vbat_…', readVoucherBatchId),
    examples: [
      'admin voucher revoke vch_01jd0000000000000000000000',
      'admin voucher revoke --batch vbat_01jd0000000000000000000000',
    ],
    run:
      ({ change }, command: Command) =>
      async (voucherId: string | undefined, { batch }: { batch?: string }) => {
        if ((voucherId === undefined) === (batch === undefined)) {
          command.error('error: give the id of a voucher, or a --batch of them');
        }
        await change((made) =>
          voucherId === undefined ? revokeBatch(made, batch ?? '') : revokeOne(made, voucherId),
        );
      },
  },
};

const STATES = ['open', 'redeemed', 'revoked', 'expired'] as const satisfies readonly VoucherState[];

interface GivenVouchers {
  amount: NanoUsd;
  count: number;
  expires: Date;
  perAccount?: number;
  note?: string;
  yes?: true;
}

/** Without the end of the sentence. */
function inWords({ amount, count, expires, perAccount }: GivenVouchers): string {
  const all = count === 1 ? '' : ` each, ${toDecimalUsd(toNanoUsd(amount * BigInt(count)))} in all`;
  const most = perAccount === undefined ? '' : `, at most ${String(perAccount)} for each account`;
  return `${countOf(count, 'voucher')} of ${toDecimalUsd(amount)} dollars${all}${most}, valid until ${expires.toISOString()}`;
}

async function create({ client, operator, record }: Change, given: GivenVouchers): Promise<Report> {
  const { amount, count, expires, perAccount = null, note = null } = given;
  const { batchId, vouchers } = await createVouchers(client, {
    ...{ count, amountNano: amount, mostPerAccount: perAccount, note },
    ...{ createdBy: operator, expiresAt: expires },
  });
  const terms = {
    amount: toDecimalUsd(amount),
    count,
    per_account: perAccount,
    note,
    expires_at: toUnixSeconds(expires),
  };
  const id = toPublicId('vbat', batchId);
  await record(id, terms);
  const codes = vouchers.map(({ code }) => code);
  return {
    json: {
      batch_id: id,
      ...terms,
      currency: 'usd',
      vouchers: vouchers.map((one) => ({ voucher_id: toPublicId('vch', one.id), code: one.code })),
    },
    text: `${codes.join('\n')}\n${count === 1 ? 'It is' : 'They are'} shown only now: ${inWords(given)}. The batch is ${id}.`,
  };
}

interface GivenFilter extends GivenPage {
  state?: VoucherState;
  batch?: string;
  account?: string;
}

const COLUMNS: readonly Column[] = [
  ...[
    { name: 'voucher' },
    { name: 'ends in' },
    { name: 'dollars', align: 'right' as const },
    { name: 'state' },
  ],
  ...[{ name: 'expires' }, { name: 'redeemed by' }, { name: 'when' }, { name: 'note' }],
];

async function list(pool: Pool, accounts: Accounts, filter: GivenFilter): Promise<Report> {
  const { state, batch, account, limit, after } = filter;
  const of = { state, batchId: batch, accountId: account };
  const found = await listVouchers(pool, { ...of, limit: limit + 1, afterId: after });
  const owners = new Set(found.flatMap(({ accountId }) => accountId ?? []));
  const emails = await findEmails(accounts, [...owners]);
  const records = found.map((one) => toRecord(one, emails));
  const options = {
    state,
    batch: batch === undefined ? undefined : toPublicId('vbat', batch),
    account: account === undefined ? undefined : toPublicId('acct', account),
    limit: givenLimit(limit),
  };
  return toListReport(
    toListPage(records, limit, (record) => record.voucher_id),
    {
      columns: COLUMNS,
      toRow: (one) => [
        ...[one.voucher_id, one.hint, one.amount, one.state, inIso(one.expires_at)],
        ...[one.email ?? '', inIso(one.redeemed_at), one.note ?? ''],
      ],
      none: 'There are no such vouchers.',
      next: (lastId) => nextCommand('voucher list', options, lastId),
    },
  );
}

function toRecord(voucher: Voucher, emails: ReadonlyMap<string, string>) {
  const { id, batchId, accountId, amountNano, redeemedAt } = voucher;
  return {
    voucher_id: toPublicId('vch', id),
    batch_id: toPublicId('vbat', batchId),
    hint: voucher.hint,
    amount: toDecimalUsd(amountNano),
    currency: 'usd',
    state: voucher.state,
    per_account: voucher.mostPerAccount,
    note: voucher.note,
    created_by: voucher.createdBy,
    created_at: toUnixSeconds(voucher.createdAt),
    expires_at: toUnixSeconds(voucher.expiresAt),
    account_id: accountId && toPublicId('acct', accountId),
    email: accountId && (emails.get(accountId) ?? null),
    redeemed_at: redeemedAt && toUnixSeconds(redeemedAt),
  };
}

function inIso(seconds: number | null): string {
  return seconds === null ? '' : toIso(seconds);
}

async function revokeOne({ client, record }: Change, voucherId: string): Promise<Report> {
  const id = toPublicId('vch', voucherId);
  const { found, redeemed, revoked } = await revokeVouchers(client, { voucherId });
  if (found === 0) throw new NotFoundFailure(`There is no voucher ${id}.`);
  if (redeemed > 0)
    throw new CommandFailure(`The voucher ${id} was redeemed: take its amount by an adjustment.`);
  const json = { voucher_id: id, revoked };
  if (revoked === 0) return { json, text: `The voucher ${id} was revoked before.`, unchanged: true };
  await record(id);
  return { json, text: `The voucher ${id} is revoked.` };
}

async function revokeBatch({ client, record }: Change, batchId: string): Promise<Report> {
  const id = toPublicId('vbat', batchId);
  const { found, redeemed, revoked } = await revokeVouchers(client, { batchId });
  if (found === 0) throw new NotFoundFailure(`There is no batch of vouchers ${id}.`);
  const json = { batch_id: id, revoked, redeemed };
  const text = `${countOf(revoked, 'voucher')} of the batch ${id} revoked, ${String(redeemed)} had been redeemed.`;
  if (revoked === 0) return { json, text, unchanged: true };
  await record(id, { revoked, redeemed });
  return { json, text };
}

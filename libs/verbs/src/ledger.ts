import { toPublicId } from '@farebox/auth';
import { readPrices } from '@farebox/catalog';
import { toUnixSeconds } from '@farebox/api';
import {
  type Margin,
  type MarginGroup,
  readMargins,
  type Round,
  type Verification,
  verifyLedger,
} from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd, ZERO_NANO } from '@farebox/money';
import { Option } from 'commander';
import type { Pool } from 'pg';
import { readTime, startOfToday } from './arguments';
import type { Change } from './audit-log';
import { CommandFailure } from './failures';
import type { Verbs } from './verb';
import { addCsvOption, asCsv, type GivenCsv } from './csv-report';
import type { Report } from './report';
import { type Column, countOf, toTable } from './lists';

const PROGRESS_EVERY_MS = 1_000;

export const ledgerCommands: Verbs = {
  'ledger verify': {
    help:
      'recompute every balance from the ledger; exit code 1 if the books differ. ' +
      'The books are read in slices during normal traffic, and correct slices are noted.',
    takes: (command) =>
      command
        .addOption(
          new Option('--since-checkpoint', 'read only entries since the last checkpoint').conflicts('full'),
        )
        .option('--full', 'read all of the books (the default)'),
    examples: ['admin ledger verify', 'admin ledger verify --since-checkpoint'],
    run:
      ({ lookThenChange, progress }) =>
      async ({ sinceCheckpoint }: { sinceCheckpoint?: true }) => {
        let reportedMs = -Infinity;
        const onProgress = ({ accounts, entries }: Round): void => {
          if (performance.now() < reportedMs + PROGRESS_EVERY_MS) return;
          reportedMs = performance.now();
          progress(`${String(entries)} entries of ${String(accounts)} accounts read`);
        };
        await lookThenChange(
          (pool) => verifyLedger(pool, { sinceCheckpoint: sinceCheckpoint === true, readPrices, onProgress }),
          note,
        );
      },
  },
};

/** Correct slices are noted already; this records the verification itself. */
async function note({ record }: Change, verification: Verification): Promise<Report> {
  const report = toReport(verification);
  if (!verification.ok) return { ...report, unchanged: true };
  const { accounts, entries, since } = report.json;
  await record(null, { accounts, entries, since });
  return report;
}

function toReport({ ok, accounts, entries, since, differences }: Verification) {
  const found = differences.map(({ check, accountId, detail }) => ({
    check,
    account_id: publicAccountId(accountId),
    detail,
  }));
  const read = since === null ? '' : `, read from ${since.toISOString()} on`;
  const counted = `${String(entries)} entries of ${String(accounts)} accounts${read}`;
  return {
    json: {
      ok,
      accounts,
      entries: Number(entries),
      since: since === null ? null : toUnixSeconds(since),
      differences: found,
    },
    text: ok
      ? `The books are right: ${counted}.`
      : [
          `The books differ (${counted}):`,
          ...found.map((one) => `${one.check}: ${one.account_id ?? 'all accounts'}: ${one.detail}`),
        ].join('\n'),
    exitCode: ok ? 0 : 1,
  };
}

/** A difference of the books as a whole belongs to no account. */
function publicAccountId(accountId: string | null): string | null {
  return accountId === null ? null : toPublicId('acct', accountId);
}

const GROUPS: readonly MarginGroup[] = ['model', 'upstream', 'account'];

interface Given extends GivenCsv {
  from: Date;
  to?: Date;
  groupBy: MarginGroup;
}

export const marginCommands: Verbs = {
  margin: {
    help:
      'revenue, upstream cost and margin of the requests charged in a period, by default today. ' +
      'Costs are those of the routes in the catalogue (cost).',
    takes: (command) =>
      addCsvOption(command)
        .option('--from <time>', 'start, like today, 7d, 2026-11 or 2026-11-01', readTime, startOfToday())
        .option('--to <time>', 'end, exclusive (default: now)', readTime)
        .addOption(new Option('--group-by <field>', 'grouping').choices(GROUPS).default('model')),
    examples: [
      'admin margin --from 2026-11-01',
      'admin margin --from 2026-11-01 --to 2026-12-01 --group-by upstream --json',
    ],
    run:
      ({ read }) =>
      (given: Given) =>
        read((pool) => report(pool, given)),
  },
};

async function report(pool: Pool, { from, to = new Date(), groupBy: by, csv }: Given): Promise<Report> {
  if (from >= to) throw new CommandFailure('--from must be before --to.');
  const margins = await readMargins(pool, { from, to, by });
  const rows = margins.map((margin) => ({ [by]: toName(by, margin.group), ...toRecord(margin) }));
  const totals = toRecord(margins.reduce(plus, NOTHING));
  const json = {
    from: toUnixSeconds(from),
    to: toUnixSeconds(to),
    currency: 'usd',
    group_by: by,
    data: rows,
    totals,
  };
  const shown = {
    json,
    get text() {
      return rows.length === 0 ? 'Nothing was charged in this period.' : toText(by, margins, totals);
    },
  };
  return asCsv(shown, { csv }, Object.keys({ [by]: null, ...totals }), rows);
}

function toText(by: MarginGroup, margins: readonly Margin[], totals: ReturnType<typeof toRecord>): string {
  const lines = [...margins.map((margin) => ({ name: toName(by, margin.group), ...toRecord(margin) }))];
  const table = toTable(
    columnsOf(by),
    [...lines, { name: 'total', ...totals }].map((line) => [
      line.name ?? 'not known',
      String(line.requests),
      line.revenue,
      line.cost,
      line.margin,
      String(line.requests_without_cost),
      line.abandoned_cost,
    ]),
  );
  const unknown = totals.requests_without_cost;
  const losing = lines.filter(({ margin }) => margin.startsWith('-')).map(({ name }) => name ?? 'not known');
  const notes = [
    losing.length > 0 && `Sold below cost: ${losing.join(', ')}.`,
    unknown > 0 &&
      `The cost of ${countOf(unknown, 'request')} is not known: their ${totals.revenue_without_cost} dollars are no part ` +
        'of the margin. Give their routes a cost in the catalogue.',
  ];
  return [table, ...notes.filter((note) => note !== false)].join('\n');
}

const NOTHING: Margin = {
  group: null,
  requests: 0,
  revenueNano: ZERO_NANO,
  costNano: ZERO_NANO,
  requestsWithoutCost: 0,
  revenueWithoutCostNano: ZERO_NANO,
  abandonedRequests: 0,
  abandonedNano: ZERO_NANO,
};

function plus(sum: Margin, one: Margin): Margin {
  return {
    group: null,
    requests: sum.requests + one.requests,
    revenueNano: toNanoUsd(sum.revenueNano + one.revenueNano),
    costNano: toNanoUsd(sum.costNano + one.costNano),
    requestsWithoutCost: sum.requestsWithoutCost + one.requestsWithoutCost,
    revenueWithoutCostNano: toNanoUsd(sum.revenueWithoutCostNano + one.revenueWithoutCostNano),
    abandonedRequests: sum.abandonedRequests + one.abandonedRequests,
    abandonedNano: toNanoUsd(sum.abandonedNano + one.abandonedNano),
  };
}

/**
 * The margin is what remains of the requests whose cost is known, after all costs, including those of abandoned
 * requests.
 */
function toRecord({
  requests,
  revenueNano,
  costNano,
  requestsWithoutCost,
  revenueWithoutCostNano,
  abandonedRequests,
  abandonedNano,
}: Margin) {
  const knownNano = revenueNano - revenueWithoutCostNano;
  return {
    requests,
    revenue: toDecimalUsd(revenueNano),
    cost: toDecimalUsd(costNano),
    margin: toDecimalUsd(toNanoUsd(knownNano - costNano - abandonedNano)),
    requests_without_cost: requestsWithoutCost,
    revenue_without_cost: toDecimalUsd(revenueWithoutCostNano),
    abandoned_requests: abandonedRequests,
    abandoned_cost: toDecimalUsd(abandonedNano),
  };
}

function toName(by: MarginGroup, group: string | null): string | null {
  return by === 'account' && group !== null ? toPublicId('acct', group) : group;
}

function columnsOf(by: MarginGroup): Column[] {
  const numbers = ['requests', 'revenue', 'cost', 'margin', 'cost not known', 'abandoned'];
  return [{ name: by }, ...numbers.map((name): Column => ({ name, align: 'right' }))];
}

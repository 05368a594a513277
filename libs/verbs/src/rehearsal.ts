import { findEmails, type Accounts } from '@farebox/accounts';
import { toPublicId } from '@farebox/auth';
import { toUnixSeconds } from '@farebox/api';
import { parseCatalog, type Catalog } from '@farebox/catalog';
import { visitChargedUsage } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd } from '@farebox/money';
import { Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { readLimit, readTime } from './arguments';
import { addCsvOption, asCsv, type GivenCsv } from './csv-report';
import { readCatalogFile, readOwnedBy } from './environment';
import { CommandFailure } from './failures';
import { countOf, DEFAULT_LIMIT, toTable } from './lists';
import { KnownPrices, Rehearsal, type RehearsalGroup, type Rehearsed } from './rehearse-prices';
import type { Report } from './report';
import type { Verbs } from './verb';

interface Given extends GivenCsv {
  since: Date;
  until?: Date;
  groupBy: RehearsalGroup;
  limit: number;
}

export const rehearsalCommands: Verbs = {
  'catalog rehearse': {
    help:
      'price the requests of a past period at the prices of a file, and show who would have paid what, the greatest ' +
      'difference first; nothing is changed',
    takes: (command: Command) =>
      addCsvOption(
        command
          .argument('[file]', 'default: FAREBOX_CATALOG, or config/catalog.yaml')
          .requiredOption('--since <time>', 'start, like 2026-10 or 2026-10-01', readTime)
          .option('--until <time>', 'end, exclusive (default: now)', readTime)
          .addOption(
            new Option('--group-by <field>', 'grouping').choices(['account', 'model']).default('account'),
          )
          .option('--limit <count>', 'at most this many lines, up to 1000', readLimit, DEFAULT_LIMIT),
      ),
    examples: [
      'admin catalog rehearse catalog.new.yaml --since 2026-10 --until 2026-11',
      'admin catalog rehearse catalog.new.yaml --since 2026-10 --group-by model --csv',
    ],
    run:
      ({ read, openFile, environment }) =>
      async (file: string | undefined, given: Given) => {
        const { text } = await openFile(file, () => readCatalogFile(environment));
        const catalog = parseCatalog(text, environment, readOwnedBy(environment));
        await read((pool, accounts) => rehearse(pool, accounts, catalog, given));
      },
  },
};

async function rehearse(pool: Pool, accounts: Accounts, catalog: Catalog, given: Given): Promise<Report> {
  const { since: from, until: to = new Date(), groupBy: by } = given;
  if (from >= to) throw new CommandFailure('--since must be before --until.');
  const rehearsal = new Rehearsal(by, new Map(catalog.models.map(({ id, price }) => [id, price])));
  const known = new KnownPrices(pool);
  await visitChargedUsage(pool, { from, to }, async (usage) => {
    await known.know(usage);
    for (const one of usage) rehearsal.add(one, known.costOf(one));
  });
  const shown = [...rehearsal.groups].sort(byDifference).slice(0, given.limit);
  const emails =
    by === 'account'
      ? await findEmails(
          accounts,
          shown.map(([id]) => id),
        )
      : undefined;
  const data = shown.map(([group, sums]) => ({
    ...(emails
      ? { account_id: toPublicId('acct', group), email: emails.get(group) ?? '' }
      : { model: group }),
    ...toRecord(sums),
  }));
  const unknown = [...rehearsal.unknownModels].sort().map(([model, { requests, chargedNano }]) => ({
    ...{ model, requests, charged: toDecimalUsd(chargedNano) },
  }));
  const json = {
    ...{ since: toUnixSeconds(from), until: toUnixSeconds(to), currency: 'usd', group_by: by, data },
    ...{ groups: rehearsal.groups.size, totals: toRecord(rehearsal.totals()) },
    ...{ unknown_models: unknown, refunded_requests: rehearsal.refundedRequests },
  };
  const labels = emails ? ['account_id', 'email'] : ['model'];
  const report = { json, text: toText(json, labels) };
  return asCsv(report, given, [...labels, ...FIGURES], data);
}

const FIGURES = ['requests', 'charged', 'would_pay', 'difference'] as const;

function toRecord({ requests, chargedNano, wouldPayNano }: Rehearsed) {
  return {
    requests,
    charged: toDecimalUsd(chargedNano),
    would_pay: toDecimalUsd(wouldPayNano),
    difference: toDecimalUsd(toNanoUsd(wouldPayNano - chargedNano)),
  };
}

type Entry = readonly [string, Rehearsed];

function byDifference([a, one]: Entry, [b, other]: Entry): number {
  const [mine, its] = [one, other].map(({ chargedNano, wouldPayNano }) =>
    magnitude(wouldPayNano - chargedNano),
  );
  if (mine === its) return a < b ? -1 : 1;
  return (mine ?? 0n) > (its ?? 0n) ? -1 : 1;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

interface Shown {
  data: readonly object[];
  groups: number;
  totals: ReturnType<typeof toRecord>;
  unknown_models: readonly { model: string; requests: number; charged: string }[];
  refunded_requests: number;
}

function toText(json: Shown, labels: readonly string[]): string {
  const columns = [
    ...labels.map((name) => ({
      name: name === 'account_id' ? 'account' : name === 'email' ? 'e-mail' : name,
    })),
    ...FIGURES.map((name) => ({ name: name.replace('_', ' '), align: 'right' as const })),
  ];
  const rows = [...json.data, json.totals].map((line) => {
    const values = line as Readonly<Record<string, string | number | undefined>>;
    const isTotal = line === json.totals;
    const names = labels.map((name, at) =>
      isTotal ? (at === 0 ? 'total' : '') : String(values[name] ?? ''),
    );
    return [...names, ...FIGURES.map((name) => String(values[name] ?? ''))];
  });
  const lines = [
    json.data.length === 0
      ? 'No request of these models was charged in this period.'
      : toTable(columns, rows),
  ];
  if (json.groups > json.data.length) lines.push('More: give a higher --limit.');
  for (const { model, requests, charged } of json.unknown_models)
    lines.push(
      `The file has no model ${model}: ${countOf(requests, 'request')} left out, ${charged} dollars.`,
    );
  if (json.refunded_requests > 0)
    lines.push(`${countOf(json.refunded_requests, 'refunded request')} left out.`);
  return lines.join('\n');
}

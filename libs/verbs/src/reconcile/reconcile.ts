import { readCatalogWithCosts } from '@farebox/catalog';
import { toUnixSeconds } from '@farebox/api';
import { readFailedDays, readRouteDays } from '@farebox/ledger';
import { toDecimalUsd, toNanoUsd, ZERO_NANO, type NanoUsd } from '@farebox/money';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Pool } from 'pg';
import { readDay, readLine, readUsdFromZero } from '../arguments';
import { addCsvOption, asCsv, type GivenCsv } from '../csv-report';
import { CommandFailure, UsageError } from '../failures';
import { countOf, toTable } from '../lists';
import type { Report } from '../report';
import type { GivenText, Verbs } from '../verb';
import {
  ALL_DAYS,
  BilledCells,
  routesOf,
  toCells,
  toUpstreamModel,
  upstreamOf,
  type CellName,
} from './bill-cells';
import { compareCell, DIFFERENCE_KINDS, toNano, type Difference, type DifferenceKind } from './compare-bill';
import { readBill } from './read-bill';

interface Given extends GivenCsv {
  since: Date;
  until: Date;
  upstream?: string;
  key?: ReadonlyMap<string, string>;
  model?: ReadonlyMap<string, string>;
  tolerance: NanoUsd;
  groupBy: 'day' | 'period';
}

/** A cent for each day and model: providers round their bills. */
const USUAL_TOLERANCE = toNanoUsd(10_000_000n);
/** Days times models: far more than any bill has, and it still fits into memory. */
const MOST_CELLS = 200_000;

export const reconcileCommands: Verbs = {
  reconcile: {
    help:
      "compare a provider's bill with the requests of its upstreams, by UTC day and model, and name each difference; " +
      'exit code 1 if there is one. Takes exports of usage and of costs, of OpenAI, Anthropic, Azure, OpenRouter, or ' +
      'your own CSV, several at once.',
    takes: (command: Command) =>
      addCsvOption(
        command
          .argument('<file...>', 'CSV, or JSON as the usage and cost APIs return it')
          .requiredOption('--since <day>', 'first UTC day, like 2026-10 or 2026-10-01', readDay)
          .requiredOption('--until <day>', 'the day after the last one', readDay)
          .option('--upstream <id>', 'the upstream whose bill it is', readLine)
          .option(
            '--key <key=upstream>',
            "the upstream of one of the provider's keys; repeat it",
            collectPair,
          )
          .option('--model <name=model>', "a billed name and the route's model; repeat it", collectPair)
          .addOption(
            new Option('--tolerance <dollars>', 'leave out smaller differences of price')
              .argParser(readUsdFromZero)
              .default(USUAL_TOLERANCE, '0.01'),
          )
          .addOption(
            new Option(
              '--group-by <what>',
              'compare each day, or all days together: calls at midnight may be in another day of the provider',
            )
              .choices(['day', 'period'])
              .default('day'),
          ),
      ),
    examples: [
      'admin reconcile usage.csv costs.csv --upstream openai --since 2026-10 --until 2026-11',
      'admin reconcile usage.json --key apikey_01=near --key apikey_02=far --since 2026-10 --until 2026-11 --csv',
    ],
    run:
      ({ read, openText }) =>
      (files: string[], given: Given) =>
        read((pool) => reconcile(pool, files.map(openText), given)),
  },
};

/** Commander calls it for each pair. */
function collectPair(text: string, former: ReadonlyMap<string, string> | undefined): Map<string, string> {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('It looks like name=value.');
  return new Map([...(former ?? []), [text.slice(0, at), text.slice(at + 1)]]);
}

const sumOf = (amounts: readonly NanoUsd[]): NanoUsd =>
  toNanoUsd(amounts.reduce((sum, one) => sum + one, 0n));

interface ReadBills {
  billed: BilledCells;
  /** Lines of days before or after. */
  outside: number;
  upstreamIds: Set<string>;
}

async function reconcile(pool: Pool, files: readonly GivenText[], given: Given): Promise<Report> {
  const { since, until, groupBy } = given;
  if (since >= until) throw new CommandFailure('--since must be before --until.');
  const catalog = await readCatalogWithCosts(pool);
  const routes = routesOf(catalog);
  const dayOf = (day: string): string => (groupBy === 'period' ? ALL_DAYS : day);
  const { billed, outside, upstreamIds } = await readBills(files, given, new Set(routes.keys()), dayOf);
  const period = { from: since, to: until };
  const modelIds = [...catalog.models.keys()];
  const sold = await readRouteDays(pool, { ...period, upstreamIds: [...upstreamIds] });
  const failed = await readFailedDays(pool, { ...period, modelIds });
  const cells = toCells({ sold, failed, billed, routes }, dayOf);
  const found = cells.flatMap((cell) => compareCell(cell, given.tolerance).map((one) => ({ cell, one })));
  const sums = {
    billedNano: sumOf(cells.map((cell) => toNano(cell.billed?.cost) ?? ZERO_NANO)),
    costNano: sumOf(cells.map((cell) => cell.sold?.costNano ?? ZERO_NANO)),
    soldNano: sumOf(cells.map((cell) => cell.sold?.soldNano ?? ZERO_NANO)),
  };
  return toReport({ given, found, sums, outside, cells: cells.length });
}

/** Throws `CommandFailure`, with the line of the file, and `UsageError` if a key belongs to no upstream. */
async function readBills(
  files: readonly GivenText[],
  { since, until, upstream: usual, key: byKey = new Map(), model: given = new Map() }: Given,
  known: ReadonlySet<string>,
  dayOf: (day: string) => string,
): Promise<ReadBills> {
  const [from, to] = [since, until].map((time) => time.toISOString().slice(0, 10));
  const [billed, upstreamIds] = [
    new BilledCells(),
    new Set([...(usual === undefined ? [] : [usual]), ...byKey.values()]),
  ];
  let outside = 0;
  for (const file of files)
    for await (const line of readBill(file)) {
      if (line.day < (from ?? '') || line.day >= (to ?? '')) {
        outside++;
        continue;
      }
      const upstreamId = upstreamOf(line, { usual, byKey });
      if (upstreamId === undefined)
        throw new UsageError(
          `${file.name}: the key ${line.key ?? 'of the bill'} belongs to no upstream: give --key or --upstream.`,
        );
      upstreamIds.add(upstreamId);
      const upstreamModel = toUpstreamModel(upstreamId, line.model, { given, known });
      billed.add({ day: dayOf(line.day), upstreamId, upstreamModel }, line);
      if (billed.size > MOST_CELLS)
        throw new CommandFailure(`${file.name} has too many days and models: give a shorter period.`);
    }
  return { billed, outside, upstreamIds };
}

interface Found {
  given: Given;
  found: readonly { cell: CellName; one: Difference }[];
  sums: Record<'billedNano' | 'costNano' | 'soldNano', NanoUsd>;
  outside: number;
  cells: number;
}

const COLUMNS = ['day', 'upstream', 'model', 'difference', 'requests', 'tokens', 'amount'] as const;

function toReport({ given, found, sums, outside, cells }: Found): Report {
  const data = found.map(({ cell, one }) => ({
    ...{ day: cell.day, upstream: cell.upstreamId, model: cell.upstreamModel, difference: one.kind },
    ...{ requests: one.requests, tokens: one.tokens },
    amount: one.amountNano === null ? null : toDecimalUsd(one.amountNano),
  }));
  const named = sumOf(found.map(({ one }) => one.amountNano ?? ZERO_NANO));
  const json = {
    since: toUnixSeconds(given.since),
    until: toUnixSeconds(given.until),
    currency: 'usd',
    billed: toDecimalUsd(sums.billedNano),
    cost: toDecimalUsd(sums.costNano),
    sold: toDecimalUsd(sums.soldNano),
    not_named: toDecimalUsd(toNanoUsd(sums.billedNano - sums.costNano - named)),
    lines_outside: outside,
    by_difference: byKind(found.map(({ one }) => one)),
    data,
  };
  const report = { json, text: toText(json, cells), exitCode: data.length === 0 ? 0 : 1 };
  return asCsv(report, given, COLUMNS, data);
}

function byKind(found: readonly Difference[]) {
  const kinds = Object.keys(DIFFERENCE_KINDS) as DifferenceKind[];
  return kinds.flatMap((kind) => {
    const ofKind = found.filter((one) => one.kind === kind);
    if (ofKind.length === 0) return [];
    const requests = ofKind.reduce((sum, one) => sum + (one.requests ?? 0), 0);
    const amount = toDecimalUsd(sumOf(ofKind.map(({ amountNano }) => amountNano ?? ZERO_NANO)));
    return [{ difference: kind, times: ofKind.length, requests, amount }];
  });
}

interface Shown {
  billed: string;
  cost: string;
  sold: string;
  not_named: string;
  lines_outside: number;
  by_difference: ReturnType<typeof byKind>;
  data: readonly Readonly<Record<(typeof COLUMNS)[number], string | number | null>>[];
}

function toText(json: Shown, cells: number): string {
  const heads = COLUMNS.map((name) => ({
    name,
    ...(['requests', 'tokens', 'amount'].includes(name) && { align: 'right' as const }),
  }));
  const lines = [
    `Billed ${json.billed} dollars; the requests cost ${json.cost}, and were sold for ${json.sold}.`,
  ];
  if (json.data.length === 0)
    lines.push(`The bill agrees with the requests of ${String(cells)} days and models.`);
  for (const { difference, times, amount } of json.by_difference)
    lines.push(`${DIFFERENCE_KINDS[difference]}: ${amount} dollars in ${countOf(times, 'place')}`);
  if (json.data.length > 0)
    lines.push(
      '',
      toTable(
        heads,
        json.data.map((one) => COLUMNS.map((name) => String(one[name] ?? ''))),
      ),
      '',
    );
  lines.push(`Rounding and differences without a price: ${json.not_named} dollars.`);
  if (json.lines_outside > 0) lines.push(`${countOf(json.lines_outside, 'line')} of other days left out.`);
  return lines.join('\n');
}

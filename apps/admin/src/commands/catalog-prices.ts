import { listPrices, type PriceEntry } from '@farebox/catalog';
import { toUnixSeconds } from '@farebox/contracts';
import { toUsdPerMillionTokens } from '@farebox/money';
import type { Command } from 'commander';
import type { Pool } from 'pg';
import { readLimit } from '../arguments';
import { CommandFailure } from '../command-failure';
import type { Program, Report } from '../command-run';
import { DEFAULT_LIMIT } from '../list-options';
import { toTable } from '../text-table';

export function addCatalogPricesCommand(catalog: Command, { read }: Program): void {
  catalog
    .command('prices')
    .description('show the prices that models have and had, in dollars per million tokens')
    .argument('[model]', 'of this model alone')
    .option('--limit <count>', 'at most this many, up to 1000', readLimit, DEFAULT_LIMIT)
    .addHelpText('after', '\nExamples:\n  admin catalog prices\n  admin catalog prices llama-70b --json')
    .action((model: string | undefined, { limit }: { limit: number }) =>
      read((pool) => show(pool, model, limit)),
    );
}

async function show(pool: Pool, modelId: string | undefined, limit: number): Promise<Report> {
  const prices = await listPrices(pool, { modelId, limit: limit + 1 });
  if (modelId !== undefined && prices.length === 0) {
    throw new CommandFailure(`There is no model ${modelId}.`);
  }
  const data = prices.slice(0, limit).map(toReport);
  const json = { object: 'list', data, has_more: prices.length > limit };
  if (data.length === 0) return { json, text: 'There are no prices: admin catalog apply' };
  const table = toTable(
    [
      { name: 'model' },
      ...[{ name: 'input', align: 'right' } as const, { name: 'output', align: 'right' } as const],
      ...[{ name: 'from' }, { name: 'until' }],
    ],
    data.map((one) => [
      ...[one.model, one.input_price, one.output_price, toIso(one.starts_at)],
      one.ends_at === null ? 'now' : toIso(one.ends_at),
    ]),
  );
  return { json, text: json.has_more ? `${table}\nMore: give a higher --limit, or a model.` : table };
}

function toReport(price: PriceEntry) {
  return {
    model: price.modelId,
    input_price: toUsdPerMillionTokens(price.inputPricePico),
    output_price: toUsdPerMillionTokens(price.outputPricePico),
    currency: 'usd',
    starts_at: toUnixSeconds(price.startsAt),
    ends_at: price.endsAt === null ? null : toUnixSeconds(price.endsAt),
  };
}

function toIso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

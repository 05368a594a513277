import {
  importPrices,
  parseCatalog,
  readListedPrices,
  type ImportInto,
  type PriceChange,
  type PriceImport,
  type PriceRefusal,
} from '@farebox/catalog';
import { scaleDecimal } from '@farebox/money';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { readCatalogFile, readOwnedBy } from './environment';
import { parseExactJson } from './exact-json';
import { CommandFailure } from './failures';
import type { Report } from './report';
import type { VerbRunner, Verbs } from './verb';

interface Given {
  from: string;
  out?: string;
  into: ImportInto['into'];
  markup?: bigint;
}

export const catalogImportCommands: Verbs = {
  'catalog import': {
    help:
      'put the prices of a public list (models.dev, LiteLLM) into the catalogue file, as the cost of routes or as the ' +
      'prices of models. Prints the changed file, or writes it with --out; apply it yourself. A price that is zero, ' +
      'negative or more than doubled is refused; exit code 1 then.',
    takes: (command: Command) =>
      command
        .argument('[file]', 'default: FAREBOX_CATALOG, or config/catalog.yaml')
        .requiredOption(
          '--from <list>',
          "models.dev's api.json, or LiteLLM's model_prices_and_context_window.json",
        )
        .option('--out <path>', 'where to write the changed catalogue: a new file')
        .addOption(
          new Option('--into <what>', 'cost: of each route; price: of each model, at its dearest route')
            .choices(['cost', 'price'])
            .default('cost'),
        )
        .option('--markup <percent>', 'with --into price: added to the price of the list', readPercent),
    examples: [
      'admin catalog import --from api.json --out catalog.new.yaml',
      'admin catalog import --from model_prices_and_context_window.json --into price --markup 20 --out catalog.new.yaml',
    ],
    run: (runner, command: Command) => async (file: string | undefined, given: Given) => {
      if (given.markup !== undefined && given.into === 'cost')
        command.error('error: --markup goes with --into price');
      await runner.look(() => runImport(runner, file, given));
    },
  },
};

function readPercent(text: string): bigint {
  const scaled = scaleDecimal(text, 0);
  if (!scaled?.isExact || scaled.units < 0n || scaled.units > 1_000n)
    throw new InvalidArgumentError('It must be a whole number from 0 to 1000.');
  return scaled.units;
}

async function runImport(
  { environment, openFile, writeFile, warn }: VerbRunner,
  given: string | undefined,
  { from, out, into, markup = 0n }: Given,
): Promise<Report> {
  const file = await openFile(given, () => readCatalogFile(environment));
  parseCatalog(file.text, environment, readOwnedBy(environment));
  const list = readListedPrices(await readList(from, openFile));
  if (list.length === 0) throw new CommandFailure(`${from} has no prices that are understood.`);
  const imported = importPrices(
    file.text,
    list,
    into === 'cost' ? { into } : { into, markupPercent: markup },
  );
  const { text, changes, refused, missing } = imported;
  parseCatalog(text, environment, readOwnedBy(environment));
  const said = describeImport(imported);
  const exitCode = refused.length === 0 ? 0 : 1;
  if (out === undefined) {
    if (said !== '') warn(said);
    return { json: { changes, refused, missing, catalog: text }, text: text.replace(/\n$/, ''), exitCode };
  }
  await writeFile(out, text);
  const next = `Wrote ${out}. Look at it, and then: admin catalog diff ${out}`;
  const json = { changes, refused, missing, file: out };
  return { json, text: said === '' ? next : `${said}\n${next}`, exitCode };
}

/** Throws `CommandFailure`. */
async function readList(name: string, openFile: VerbRunner['openFile']): Promise<unknown> {
  const { text } = await openFile(name);
  try {
    return parseExactJson(text);
  } catch (error) {
    throw new CommandFailure(`${name} is not JSON: ${error instanceof Error ? error.message : 'cut off'}.`);
  }
}

function describeImport({ changes, refused, missing }: PriceImport): string {
  return [
    ...changes.map(describeChange),
    ...refused.map((one) => `refused: ${nameOf(one)}: ${one.reason}`),
    ...missing.map((one) => `as it was: ${nameOf(one)}: ${one.reason}`),
  ].join('\n');
}

const describeChange = (change: PriceChange): string =>
  `~ ${nameOf(change)}: ${change.field}: ${change.before ?? 'none'} -> ${change.after}`;

const nameOf = ({ model, route }: Pick<PriceRefusal, 'model' | 'route'>): string =>
  route === null ? model : `${model} at ${route}`;

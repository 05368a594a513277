import { applyCatalog, parseCatalog } from '@farebox/catalog';
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { CommandFailure } from '../command-failure';
import { readCatalogFile } from '../config';
import type { Program } from '../command-run';

export function addCatalogCommands(root: Command, { run, surroundings }: Program): void {
  root
    .command('catalog')
    .description('models, upstreams and prices')
    .command('apply')
    .description('make a file the catalogue; prices that changed become new price versions')
    .argument('[file]', 'default: FAREBOX_CATALOG, else config/catalog.yaml')
    .addHelpText(
      'after',
      '\nExamples:\n  admin catalog apply\n  admin catalog apply /etc/farebox/catalog.yaml',
    )
    .action(async (given: string | undefined) => {
      const file = given ?? readCatalogFile(surroundings.environment);
      const catalog = parseCatalog(await readText(file), surroundings.environment);
      await run(async (pool) => {
        const { models, upstreams, newPrices, version } = await applyCatalog(pool, catalog);
        return {
          json: { models, upstreams, new_prices: newPrices, version },
          text:
            `Applied ${file} as version ${String(version)}: ${String(models)} models, ` +
            `${String(upstreams)} upstreams, ${String(newPrices)} new prices.`,
        };
      });
    });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`The catalogue file ${file} cannot be read${codeOf(error)}.`);
  }
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
}

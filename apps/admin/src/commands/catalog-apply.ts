import { diffCatalog, readCatalog, writeCatalog, type Catalog } from '@farebox/catalog';
import type { Command } from 'commander';
import type { Change } from '../audit/run-change';
import type { Program, Report } from '../command-run';
import { openCatalogFile } from '../use-cases/catalog-file';
import { describeChanges } from './catalog-report';

/** How many entries the audit log names; the whole difference is in the report. */
const MOST_NAMED = 50;

export function addCatalogApplyCommand(catalog: Command, { change, surroundings }: Program): void {
  catalog
    .command('apply')
    .description(
      'make a file the catalogue, and show what that changed; prices that changed become new price versions. ' +
        'Running gateways follow within a second.',
    )
    .argument('[file]', 'default: FAREBOX_CATALOG, else config/catalog.yaml')
    .addHelpText(
      'after',
      '\nExamples:\n  admin catalog diff\n  admin catalog apply\n  admin catalog apply /etc/farebox/catalog.yaml',
    )
    .action(async (given: string | undefined) => {
      const { file, catalog: wanted } = await openCatalogFile(given, surroundings.environment);
      await change('catalog apply', (made) => apply(made, wanted, file));
    });
}

async function apply({ client, record }: Change, catalog: Catalog, file: string): Promise<Report> {
  const before = await readCatalog(client);
  const { models, upstreams, newPrices, version } = await writeCatalog(client, catalog);
  const changes = diffCatalog(before, catalog);
  const named = changes.slice(0, MOST_NAMED).map(({ change, id }) => `${change} ${id}`);
  await record(String(version), {
    ...{ models, upstreams, new_prices: newPrices, changed_entries: changes.length },
    changes: named.join(', '),
  });
  const applied =
    `Applied ${file} as version ${String(version)}: ${String(models)} models, ` +
    `${String(upstreams)} upstreams, ${String(newPrices)} new prices.`;
  return {
    json: { models, upstreams, new_prices: newPrices, version },
    text: changes.length === 0 ? `${applied} Nothing changed.` : `${describeChanges(changes)}\n${applied}`,
  };
}

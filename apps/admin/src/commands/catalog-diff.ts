import { diffCatalog, readCatalog } from '@farebox/catalog';
import type { Command } from 'commander';
import type { Program } from '../command-run';
import { openCatalogFile } from '../use-cases/catalog-file';
import { countChanges, describeChanges } from './catalog-report';

export function addCatalogDiffCommand(catalog: Command, { read, surroundings }: Program): void {
  catalog
    .command('diff')
    .description('show what applying a file would change; changes nothing')
    .argument('[file]', 'default: FAREBOX_CATALOG, else config/catalog.yaml')
    .addHelpText(
      'after',
      '\nExamples:\n  admin catalog diff\n  admin catalog diff /etc/farebox/catalog.yaml --json',
    )
    .action(async (given: string | undefined) => {
      const { file, catalog: wanted } = await openCatalogFile(given, surroundings.environment);
      await read(async (pool) => {
        const changes = diffCatalog(await readCatalog(pool), wanted);
        const text =
          changes.length === 0
            ? `${file} is what is served now.`
            : `${describeChanges(changes)}\n${countChanges(changes)}: admin catalog apply ${file}`;
        return { json: { changes }, text };
      });
    });
}

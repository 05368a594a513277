import type { Command } from 'commander';
import type { Program } from '../command-run';
import { addCatalogApplyCommand } from './catalog-apply';
import { addCatalogDiffCommand } from './catalog-diff';
import { addCatalogMeasureCommand } from './catalog-measure';
import { addCatalogPricesCommand } from './catalog-prices';

export function addCatalogCommands(root: Command, program: Program): void {
  const catalog = root.command('catalog').description('models, upstreams and prices');
  addCatalogDiffCommand(catalog, program);
  addCatalogApplyCommand(catalog, program);
  addCatalogMeasureCommand(catalog, program);
  addCatalogPricesCommand(catalog, program);
}

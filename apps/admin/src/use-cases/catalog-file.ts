import { parseCatalog, type Catalog } from '@farebox/catalog';
import type { Environment } from '@farebox/config';
import { readFile } from 'node:fs/promises';
import { CommandFailure } from '../command-failure';
import { readCatalogFile } from '../config';

/** The catalogue file that was given, else that of the environment. Throws `CommandFailure` and `CatalogError`. */
export async function openCatalogFile(
  given: string | undefined,
  environment: Environment,
): Promise<{ file: string; catalog: Catalog }> {
  const file = given ?? readCatalogFile(environment);
  return { file, catalog: parseCatalog(await readText(file), environment) };
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

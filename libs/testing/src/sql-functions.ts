import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';

/** Definitions by name, with the types of the parameters. */
export type SqlFunctions = Record<string, string>;

/**
 * What `npm run migrate` has installed of the functions whose names begin so, and what a folder of readable SQL files
 * installs in their place: `left` is what could not be dropped in between, so nothing.
 */
export async function reinstallSqlFunctions(
  pool: Pool,
  prefix: string,
  folder: string,
): Promise<{ installed: SqlFunctions; left: SqlFunctions; fromFiles: SqlFunctions }> {
  const installed = await functionsOf(pool, prefix);
  for (const name of Object.keys(installed)) await pool.query(`DROP FUNCTION ${name}`);
  const left = await functionsOf(pool, prefix);
  for (const file of readdirSync(folder).sort()) await pool.query(readFileSync(join(folder, file), 'utf8'));
  return { installed, left, fromFiles: await functionsOf(pool, prefix) };
}

async function functionsOf(pool: Pool, prefix: string): Promise<SqlFunctions> {
  const { rows } = await pool.query<{ name: string; definition: string }>(
    `SELECT p.oid::regprocedure::text AS name, pg_get_functiondef(p.oid) AS definition
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND starts_with(p.proname, $1) ORDER BY 1`,
    [prefix],
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.definition]));
}

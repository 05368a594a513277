import type { Queryable } from '@farebox/database';

/** An applied version of the catalogue. */
export interface CatalogVersion {
  version: number;
  appliedAt: Date;
  /** The operator who applied it. */
  appliedBy: string;
}

/** Keeps the file of a version that `writeCatalog` has just made, within its transaction. */
export async function keepCatalogFile(
  db: Queryable,
  { version, appliedBy, file }: { version: number; appliedBy: string; file: string },
): Promise<void> {
  await db.query(
    `INSERT INTO catalog_version (version, applied_at, applied_by, file)
     SELECT $1, applied_at, $2, $3 FROM catalog_state`,
    [version, appliedBy, file],
  );
}

/** The file of a version; undefined if it was not kept: from before files were, or not applied by an operator. */
export async function findCatalogFile(db: Queryable, version: number): Promise<string | undefined> {
  const { rows } = await db.query<{ file: string }>('SELECT file FROM catalog_version WHERE version = $1', [
    version,
  ]);
  return rows[0]?.file;
}

/** Versions whose files are kept, newest first. */
export async function listCatalogVersions(
  db: Queryable,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<CatalogVersion[]> {
  const { rows } = await db.query<CatalogVersion>(
    `SELECT version, applied_at AS "appliedAt", applied_by AS "appliedBy" FROM catalog_version
     WHERE $1::int IS NULL OR version < $1 ORDER BY version DESC LIMIT $2`,
    [before ?? null, limit],
  );
  return rows;
}

/**
 * The newest version, if this very file was applied before it, and another one is in force since. Undefined if the file is
 * new, or in force.
 */
export async function findReplacement(
  db: Queryable,
  file: string,
): Promise<Pick<CatalogVersion, 'version' | 'appliedBy'> | undefined> {
  const { rows } = await db.query<Pick<CatalogVersion, 'version' | 'appliedBy'>>(
    `SELECT version, applied_by AS "appliedBy" FROM (SELECT * FROM catalog_version ORDER BY version DESC LIMIT 1) newest
     WHERE file <> $1 AND EXISTS (SELECT FROM catalog_version WHERE file = $1)`,
    [file],
  );
  return rows[0];
}

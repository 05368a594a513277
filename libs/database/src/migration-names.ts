/**
 * The migrations that this code needs, in order. A bundled app has no folder to look into, so they are named here;
 * a test holds the list and `prisma/migrations` together.
 */
export const MIGRATION_NAMES: readonly string[] = ['20261122120000_init'];

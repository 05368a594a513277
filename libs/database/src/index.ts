export { assertMigrated, NotMigratedError } from './assert-migrated';
export {
  describeDatabaseError,
  isConflict,
  isDatabaseUnavailable,
  isRetryable,
  isUniqueViolation,
} from './database-errors';
export { createDatabaseProbe } from './database-probe';
export { createPool, type PoolOptions } from './pool';
export { createPrismaClient, prismaWithin } from './prisma-client';
export { withTransaction } from './transaction';
export type { InviteStatus, Prisma, PrismaClient } from './generated/client';

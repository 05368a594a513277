export { assertDirect } from './assert-direct';
export { assertMigrated, describeDatabaseError, NotMigratedError } from './assert-migrated';
export { endOverlongSessions } from './overlong-sessions';
export { reachDatabase } from './reach-database';
export {
  inPieces,
  isConflict,
  isDatabaseUnavailable,
  isDiskFull,
  isRetryable,
  withTransaction,
  type Queryable,
} from './transaction';
export type { InviteStatus, Prisma, PrismaClient } from './generated/client';
export { createDatabaseProbe, createPool, createPrismaClient, prismaWithin } from './pool';

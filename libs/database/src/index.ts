export { assertMigrated, describeDatabaseError, NotMigratedError } from './assert-migrated';
export { isConflict, isDatabaseUnavailable, isRetryable } from './database-errors';
export type { InviteStatus, Prisma, PrismaClient } from './generated/client';
export { createDatabaseProbe, createPool, createPrismaClient, prismaWithin } from './pool';
export { inPieces, withTransaction } from './transaction';

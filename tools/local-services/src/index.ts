export { passwordFrom, removePostgresData } from './data-folder';
export {
  applyMigrations,
  createTemplateDatabase,
  CONNECTION_SHARES,
  provideServiceLogin,
  type ServiceLogin,
  startTemporaryPostgres,
  type TemporaryPostgres,
  temporaryPostgresFolder,
  TEST_ACCOUNT_LOGIN,
  TEST_OPERATOR_LOGIN,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
  urlFor,
} from './migrated-database';
export { locateEdgePrograms, thisMachine } from './machine-programs';
export {
  commandLineOf,
  forgetProcess,
  freePort,
  freePorts,
  guardProcess,
  waitForHttp,
  workspaceRoot,
} from './network';
export { postgresUser, type SystemUser } from './postgres-binaries';
export { endLeftoverServer, PostgresServer } from './postgres-server';
export { locateRedis, RedisServer } from './redis-server';
export { runToEnd, ServiceExitError, ServiceProcess, type ServiceOptions } from './service-process';

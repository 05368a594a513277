export { passwordFrom, removePostgresData } from './data-folder';
export {
  applyMigrations,
  createTemplateDatabase,
  CONNECTION_SHARES,
  provideServiceLogin,
  type ServiceLogin,
  startTemporaryPostgres,
  type TemporaryPostgres,
  TEST_ACCOUNT_LOGIN,
  TEST_OPERATOR_LOGIN,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
  urlFor,
} from './migrated-database';
export {
  commandLineOf,
  forgetProcess,
  freePort,
  freePorts,
  guardProcess,
  waitForHttp,
  workspaceRoot,
} from './network';
export { PostgresServer } from './postgres-server';
export { locateRedis, RedisServer, thisMachine } from './redis-server';
export { runToEnd, ServiceExitError, ServiceProcess, type ServiceOptions } from './service-process';

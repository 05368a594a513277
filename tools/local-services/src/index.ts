export { passwordFrom, removePostgresData } from './data-folder';
export {
  applyMigrations,
  createTemplateDatabase,
  provideServiceLogin,
  TEST_ACCOUNT_LOGIN,
  TEST_SERVICE_LOGIN,
  TEST_WORKER_LOGIN,
  urlFor,
  type ServiceLogin,
} from './migrated-database';
export { freePort, freePorts, waitForHttp } from './network';
export { PostgresServer } from './postgres-server';
export { commandLineOf, forgetProcess, guardProcess } from './process-table';
export { locateRedis, RedisServer, thisMachine } from './redis-server';
export { runToEnd, ServiceExitError, ServiceProcess, type ServiceOptions } from './service-process';
export { startTemporaryPostgres, type TemporaryPostgres } from './temporary-postgres';
export { workspaceRoot } from './workspace-root';

export { applyMigrations } from './migrations/apply-migrations';
export { createTemplateDatabase } from './migrations/template-database';
export { freePort, freePorts } from './network/free-port';
export { waitForHttp } from './network/wait-for-http';
export { removePostgresData } from './postgres/data-folder';
export { PostgresServer, type PostgresOptions } from './postgres/postgres-server';
export { passwordFrom } from './postgres/password-file';
export {
  provideServiceLogin,
  TEST_ACCOUNT_LOGIN,
  TEST_WORKER_LOGIN,
  TEST_SERVICE_LOGIN,
  urlFor,
  type ServiceLogin,
} from './postgres/service-login';
export { startTemporaryPostgres, type TemporaryPostgres } from './postgres/temporary-postgres';
export { forgetProcess, guardProcess } from './process/process-guard';
export { commandLineOf } from './process/process-table';
export { runToEnd } from './process/run-to-end';
export {
  ServiceExitError,
  ServiceProcess,
  type ProcessExit,
  type ServiceOptions,
} from './process/service-process';
export { locateRedis, thisMachine, type RedisSource } from './redis/locate-redis';
export { RedisServer } from './redis/redis-server';
export { workspaceRoot } from './workspace-root';

import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { removePostgresData } from '@farebox/local-services';

/** `.farebox`: everything that a local Farebox keeps. */
export interface StateFolder {
  path: string;
  postgres: string;
  /** Hold the passwords that gateway, account service and worker log in to the embedded database with. */
  servicePasswordFile: string;
  accountPasswordFile: string;
  workerPasswordFile: string;
  logs: string;
  lockFile: string;
  secretsFile: string;
  localFile: string;
}

export function openStateFolder(folder: string): StateFolder {
  const logs = path.join(folder, 'logs');
  mkdirSync(logs, { recursive: true });
  return {
    path: folder,
    postgres: path.join(folder, 'postgres'),
    servicePasswordFile: path.join(folder, 'postgres-service-password'),
    accountPasswordFile: path.join(folder, 'postgres-account-password'),
    workerPasswordFile: path.join(folder, 'postgres-worker-password'),
    logs,
    lockFile: path.join(folder, 'lock'),
    secretsFile: path.join(folder, 'secrets.json'),
    localFile: path.join(folder, 'local.json'),
  };
}

/** Deletes everything but the lock that this process holds. */
export function emptyStateFolder(state: StateFolder): void {
  removePostgresData(state.postgres);
  for (const name of readdirSync(state.path)) {
    const file = path.join(state.path, name);
    if (file !== state.lockFile) rmSync(file, { recursive: true, force: true });
  }
  mkdirSync(state.logs);
}

import path from 'node:path';
import { runToEnd } from '../process/run-to-end';
import { workspaceRoot } from '../workspace-root';

/**
 * Runs `prisma migrate deploy`: makes the database of `databaseUrl` where there is none, and applies the migrations
 * that it has not had yet. Throws with Prisma's own last lines if that fails.
 */
export async function applyMigrations(databaseUrl: string, interrupt?: AbortSignal): Promise<void> {
  const root = workspaceRoot();
  const command = {
    name: 'prisma migrate deploy',
    args: [path.join(root, 'tools/prisma-engine/prisma.mjs'), 'migrate', 'deploy'],
    cwd: root,
    env: { ...process.env, DATABASE_URL: databaseUrl, NO_COLOR: '1' },
  };
  await runToEnd(command, interrupt);
}

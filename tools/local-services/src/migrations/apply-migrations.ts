import path from 'node:path';
import { runToEnd } from '../process/run-to-end';
import { workspaceRoot } from '../workspace-root';

/**
 * Does what `npm run migrate` does, as the owner whom `databaseUrl` names: makes the database where there is none,
 * applies the migrations that it has not had yet, and prepares the tables of the job queue. Throws with the command's
 * own last lines if that fails. What runs is the bundle, which must have been built; what it applies is the checkout's.
 */
export async function applyMigrations(databaseUrl: string, interrupt?: AbortSignal): Promise<void> {
  const root = workspaceRoot();
  const command = {
    name: 'npm run migrate',
    args: [path.join(root, 'dist/migration/main.js'), '--workspace', root],
    cwd: root,
    env: { ...process.env, DATABASE_URL: databaseUrl, NO_COLOR: '1' },
  };
  await runToEnd(command, interrupt);
}

// `npm run migrate`: brings the database of DATABASE_URL to what this code needs. See apps/migration/src/main.ts.
import { spawnSync } from 'node:child_process';
import { ensureInstalled, runCommandOfTools } from './install.mjs';
import { build } from './set-up/build.mjs';
import { inRoot, root } from './set-up/workspace.mjs';

await runCommandOfTools(async () => {
  await ensureInstalled((line) => console.log(line));
  await build(['migration']);
  const args = [inRoot('dist/migration/main.js'), '--workspace', root, ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
});

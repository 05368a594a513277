import { ensureInstalled, runCommandOfTools } from '../install.mjs';
import { build } from './build.mjs';

/** Prepares what is missing, and builds projects into dist/. */
export function buildCommand(projects) {
  if (projects.length === 0) {
    console.error('npm run build needs the names of projects: npm run build -- gateway account');
    process.exitCode = 1;
    return undefined;
  }
  return runCommandOfTools(async () => {
    await ensureInstalled((line) => console.log(line));
    await build(projects);
    return 0;
  });
}

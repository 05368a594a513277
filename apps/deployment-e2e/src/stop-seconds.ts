import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

/** The deadlines of an app's stop, one after the other; those of a gateway follow its drain. */
export function stopSeconds(app: string): number {
  const source = readFileSync(join(workspaceRoot(), 'apps', app, 'src/main.ts'), 'utf8');
  const deadlines = [...source.matchAll(/_DEADLINE_MS = ([\d_]+)/g)].map(([, ms = '']) =>
    Number(ms.replaceAll('_', '')),
  );
  if (deadlines.length === 0) throw new Error(`apps/${app}/src/main.ts names no deadline of its stop.`);
  return deadlines.reduce((sum, ms) => sum + ms, 0) / 1_000;
}

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

/** A copy of an app's bundle outside of the checkout: there is no node_modules there that it could lean on. */
export function bundleOf(name: string, folder: string): string {
  const copy = join(folder, name);
  const isCode = (path: string): boolean => !path.endsWith('.map');
  cpSync(join(workspaceRoot(), 'dist', name), copy, { recursive: true, filter: isCode });
  return join(copy, 'main.js');
}

import { existsSync } from 'node:fs';
import path from 'node:path';

/** The checkout that this file, or the bundle that holds it, is in. */
export function workspaceRoot(): string {
  let folder = __dirname;
  while (!existsSync(path.join(folder, 'nx.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`${__dirname} is not inside a Farebox checkout.`);
    folder = parent;
  }
  return folder;
}

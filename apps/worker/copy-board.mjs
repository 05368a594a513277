// Copies the page of the queue board next to the bundle, which reads it at run time.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const page = path.dirname(require.resolve('@bull-board/ui/package.json'));
const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist/worker/board');

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const part of ['dist', 'package.json']) {
  cpSync(path.join(page, part), path.join(folder, part), { recursive: true });
}

// Makes a package of what esbuild and tsc have put into dist/client: its manifest, its README and its license.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = 'dist/client';
const manifest = JSON.parse(readFileSync('libs/client/package.json', 'utf8'));
delete manifest.nx;
manifest.exports = { '.': { types: './index.d.ts', default: './index.js' } };

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = path.join(folder, name);
  // Node's resolution, by which users may check their types, wants the whole name of a file.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*?)(?:\.js)?'/g, "$1.js'"));
}
writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
copyFileSync('libs/client/README.md', path.join(folder, 'README.md'));
copyFileSync('LICENSE', path.join(folder, 'LICENSE'));

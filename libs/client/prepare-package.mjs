// Packages the output of esbuild and tsc in dist/client: adds the manifest, the README and the license.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = 'dist/client';
const manifest = JSON.parse(readFileSync('libs/client/package.json', 'utf8'));
delete manifest.nx;
manifest.exports = { '.': { types: './index.d.ts', default: './index.js' } };

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = path.join(folder, name);
  // Users may type-check with Node's resolution, which requires file extensions.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*?)(?:\.js)?'/g, "$1.js'"));
}
writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
copyFileSync('libs/client/README.md', path.join(folder, 'README.md'));
copyFileSync('LICENSE', path.join(folder, 'LICENSE'));

// Writes the public documents into a folder, where the bundle beside them finds them: write-documents.mjs dist/gateway
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [folder = ''] = process.argv.slice(2);
const outfile = path.resolve(folder, 'write-documents.cjs');
await build({
  entryPoints: [fileURLToPath(new URL('src/document/written-documents.ts', import.meta.url))],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logLevel: 'error',
});
const { writePublicDocuments } = await import(pathToFileURL(outfile).href);
await writePublicDocuments(folder);
rmSync(outfile);

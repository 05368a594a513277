import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { inRoot } from '../set-up/workspace.mjs';

/** The document, from the sources as they are now. */
export async function loadDocument() {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-openapi-'));
  const outfile = path.join(folder, 'openapi.mjs');
  try {
    await build({
      entryPoints: [inRoot('libs/openapi/src/index.ts')],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
    });
    const { buildDocument } = await import(pathToFileURL(outfile).href);
    return buildDocument();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

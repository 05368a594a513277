// `copy-console.mjs CONSOLE SERVICE`: copies a console's files next to the bundle of the service, which serves them,
// with a compressed form of each for browsers that accept it. Compressed here, once, so that no request waits for it.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const [app = '', service = ''] = process.argv.slice(2);
const from = path.join(dist, app);
const to = path.join(dist, service, 'console');

const COMPRESSIBLE = /\.(?:js|css|svg|json|txt)$/;
/** A file smaller than a packet is not worth the header. */
const LEAST_BYTES = 1_024;

rmSync(to, { recursive: true, force: true });
if (existsSync(path.join(from, 'index.html'))) {
  cpSync(from, to, { recursive: true, filter: (file) => !file.endsWith('.map') });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && COMPRESSIBLE.test(entry.name)) compress(path.join(entry.parentPath, entry.name));
  }
} else {
  console.error(`dist/${app} has no index.html: the ${service} service is built without it.`);
}

/** @param {string} file */
function compress(file) {
  const content = readFileSync(file);
  if (content.length < LEAST_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}

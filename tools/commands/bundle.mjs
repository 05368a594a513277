// @ts-check
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import { stampOfFile } from './built.mjs';

const BEGIN = '(function (exports, require, module, __filename, __dirname) {';
const END = '\n})';

/**
 * Runs a bundle of dist/ in this process, which ends when the bundle has nothing left to do, with the exit code that it
 * sets. V8's compiled code is kept: compiling ten megabytes again takes longer than most commands of an operator. The
 * bundle must have no `import()`, which Node refuses in such code.
 * @param {string} file
 * @param {string[]} args
 */
export function runBundle(file, args) {
  const name = path.basename(path.dirname(file));
  const cacheFile = path.join(file, `../../.code/${name}-${process.version}-${stampOfFile(file)}`);
  const cachedData = readIfThere(cacheFile);
  // esbuild writes ASCII alone: as Latin-1 the text is read as it is, and stays outside of V8's heap.
  const source = Buffer.concat([Buffer.from(BEGIN), readFileSync(file), Buffer.from(END)]).toString('latin1');
  const script = new Script(source, {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => keep(script, name, cacheFile));
  process.argv = [process.execPath, file, ...args];
  // Exists from Node 21 on. Without it, pg makes Node load all of fetch() to detect its environment.
  if (!('navigator' in globalThis)) {
    Object.assign(globalThis, { navigator: { userAgent: `Node.js/${process.versions.node}` } });
  }
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, path.dirname(file));
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Atomic: two commands may end at once. Deletes the cache of former bundles.
 * @param {Script} script
 * @param {string} name
 * @param {string} file
 */
function keep(script, name, file) {
  try {
    const folder = path.dirname(file);
    mkdirSync(folder, { recursive: true });
    for (const entry of readdirSync(folder))
      if (entry.startsWith(`${name}-`)) rmSync(path.join(folder, entry), { force: true });
    const newFile = `${file}.${String(process.pid)}`;
    writeFileSync(newFile, script.createCachedData());
    renameSync(newFile, file);
  } catch {
    // The next command compiles it again.
  }
}

// Whether dist/ is up to date, known in milliseconds: Nx takes seconds to find that out.
// @ts-check
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readStamp } from './workspace.mjs';

/**
 * Builds projects of a checkout, unless nothing that a build reads or writes has changed since the last one.
 * @param {string} root
 * @param {string[]} projects
 * @param {() => Promise<unknown>} build
 */
export async function ensureBuilt(root, projects, build) {
  const sources = stampOfSources(root);
  /** @param {string} project */
  const stampOf = (project) => `${sources} ${stampOfFile(path.join(root, 'dist', project, 'main.js'))}`;
  /** @param {string} project */
  const stampFileOf = (project) => path.join(root, 'dist/.built', project);
  if (projects.every((project) => readStamp(stampFileOf(project)) === stampOf(project))) return;
  await build();
  // The state of the sources before the build: changes during it are built next time.
  for (const project of projects) writeStamp(stampFileOf(project), stampOf(project));
}

const READ_BY_BUILDS = ['apps', 'libs', 'tools', 'benches', 'prisma'];
const ROOT_FILES = ['package.json', 'package-lock.json', 'nx.json', 'tsconfig.base.json'];
const READ_BY_NO_BUILD = /(?:^node_modules|^test|\.spec\.tsx?)$/;

/**
 * Changes with every file that a build may read: by names, sizes and times, not by content.
 * @param {string} root
 */
function stampOfSources(root) {
  const hash = createHash('sha256').update(`${process.version} ${root}`);
  for (const file of ROOT_FILES) hash.update(stampOfFile(path.join(root, file)));
  /** @param {string} folder */
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (READ_BY_NO_BUILD.test(entry.name)) continue;
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(file);
      else hash.update(`${file} ${stampOfFile(file)}\n`);
    }
  };
  for (const folder of READ_BY_BUILDS) visit(path.join(root, folder));
  return hash.digest('hex');
}

/**
 * Changes with the file; `none` if there is no such file.
 * @param {string} file
 */
export function stampOfFile(file) {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return mtimeMs === undefined ? 'none' : `${String(mtimeMs)}-${String(size)}`;
}

/**
 * In one step: two commands may build at once.
 * @param {string} file
 * @param {string} text
 */
function writeStamp(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  const newFile = `${file}.${String(process.pid)}`;
  writeFileSync(newFile, text);
  renameSync(newFile, file);
}

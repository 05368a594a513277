import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

// `npm ci` builds the images and needs a complete lock file. A lock file written with a registry that lacks
// the builds for other platforms misses them.

interface Locked {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  integrity?: string;
  resolved?: string;
  link?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(workspaceRoot(), 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const FOLDER = 'node_modules/';
const UNCARRIED = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'win32-x64'].map(
  (platform) => `${FOLDER}@squawk-cli/${platform}`,
);

/** Whether a package at this path resolves a name: beside itself or further up. */
function finds(place: string, name: string): boolean {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf(FOLDER))).replace(/\/$/, '')) {
    if (packages[`${at === '' ? '' : `${at}/`}${FOLDER}${name}`]) return true;
    if (at === '') return false;
  }
}

it('the lock file contains all dependencies of its packages, including builds for other platforms', () => {
  const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !finds(place, name))
      .map((name) => `${name}, of ${place}`),
  );
  expect(missing).toEqual([]);
});

it('the lock file names no host, and the digest of every package', () => {
  const installed = Object.entries(packages).filter(
    ([place, { link }]) => place.includes(FOLDER) && link !== true,
  );
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  const unknown = installed.filter(([, { integrity }]) => integrity === undefined).map(([place]) => place);
  // The registry used for the lock file does not carry these, and has no digest of them.
  expect(unknown.filter((place) => !UNCARRIED.includes(place))).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@farebox/local-services';

// The images are built by `npm ci`, which takes a lock file only if it is whole. One that was written with a registry that
// does not carry the builds for other platforms lacks them.

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

/** Whether a package at this place finds one of this name: beside itself or further up. */
function finds(place: string, name: string): boolean {
  for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf(FOLDER))).replace(/\/$/, '')) {
    if (packages[`${at === '' ? '' : `${at}/`}${FOLDER}${name}`]) return true;
    if (at === '') return false;
  }
}

it('the lock file names all that its packages ask for, the builds for other platforms included', () => {
  const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !finds(place, name))
      .map((name) => `${name}, of ${place}`),
  );
  expect(missing).toEqual([]);
});

it('it names no host, and the digest of every package', () => {
  const installed = Object.entries(packages).filter(
    ([place, { link }]) => place.includes(FOLDER) && link !== true,
  );
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  const unknown = installed.filter(([, { integrity }]) => integrity === undefined).map(([place]) => place);
  // The registry that the file was written with does not carry these, and knows no digest of them.
  expect(unknown.filter((place) => !UNCARRIED.includes(place))).toEqual([]);
});

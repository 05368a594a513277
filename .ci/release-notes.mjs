// @ts-check
// Prints the section of CHANGELOG.md for a tag like v0.1.0, and refuses a tag that is not the version of this checkout.
import { readFileSync } from 'node:fs';

const tag = process.argv[2] ?? '';
const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
if (version === undefined) refuse(`${tag} is not a tag like v0.1.0.`);

const chart = readFileSync('docker/chart/Chart.yaml', 'utf8');
const versions = {
  'package.json': versionOf('package.json'),
  'libs/client/package.json': versionOf('libs/client/package.json'),
  'version of docker/chart/Chart.yaml': /^version: (.*)$/m.exec(chart)?.[1],
  'appVersion of docker/chart/Chart.yaml': /^appVersion: (.*)$/m.exec(chart)?.[1],
};
for (const [where, found] of Object.entries(versions))
  if (found !== version) refuse(`${where} says ${String(found)}, the tag ${version}.`);

const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m).slice(1);
const section = sections.find((text) => /^\S+/.exec(text)?.[0] === version);
const notes = section?.slice(section.indexOf('\n')).trim();
if (!notes) refuse(`CHANGELOG.md has no section "## ${version}".`);
console.log(notes);

/** @param {string} file */
function versionOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).version;
}

/**
 * @param {string} why
 * @returns {never}
 */
function refuse(why) {
  console.error(why);
  process.exit(1);
}

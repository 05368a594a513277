import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../set-up/workspace.mjs';
import { generateFiles } from './generate-files.mjs';

/** Writes the files that are made from the contracts, or, with `--check`, says which of them are out of date. */
export async function openApiCommand(args) {
  const outdated = (await generateFiles()).filter(({ file, text }) => textOf(file) !== text);
  if (args.includes('--check')) {
    for (const { file } of outdated) console.error(`${file} is out of date: run "npm run openapi".`);
    process.exitCode = outdated.length > 0 ? 1 : 0;
    return;
  }
  for (const { file, text } of outdated) {
    mkdirSync(path.dirname(inRoot(file)), { recursive: true });
    writeFileSync(inRoot(file), text);
    console.log(`wrote ${file}`);
  }
}

function textOf(file) {
  return existsSync(inRoot(file)) ? readFileSync(inRoot(file), 'utf8') : undefined;
}

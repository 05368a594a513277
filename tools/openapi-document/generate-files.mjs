import { format, resolveConfig } from 'prettier';
import openapiTS, { astToString } from 'openapi-typescript';
import { inRoot } from '../set-up/workspace.mjs';
import { loadDocument } from './load-document.mjs';

const HEADER =
  '// Generated from docs/openapi.json by `npm run openapi`. Do not edit: change the contracts, and run it again.\n\n';

/** Everything that is made from the contracts: `[{ file, text }]`, as it is to be committed. */
export async function generateFiles() {
  const document = await loadDocument();
  const types = astToString(await openapiTS(structuredClone(document), { alphabetize: false }));
  return [
    await formatted('docs/openapi.json', JSON.stringify(document)),
    await formatted('libs/client/src/generated/api.ts', HEADER + types),
  ];
}

async function formatted(file, text) {
  const options = await resolveConfig(inRoot(file));
  return { file, text: await format(text, { ...options, filepath: inRoot(file) }) };
}

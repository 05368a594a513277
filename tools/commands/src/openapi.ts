import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { errorPages } from '@farebox/errors';
import { buildDocument } from '@farebox/api/document';

const HEADER =
  '// Generated from docs/use/openapi.json by `npm run openapi`. Do not edit: change the contracts, and run it again.\n\n';

/**
 * Writes the files that are generated from the contracts and the table of errors, or only reports which of them are
 * out of date. In the root folder.
 */
export async function run(onlyCheck: boolean): Promise<number> {
  const outdated = (await generateFiles()).filter(({ file, text }) => textOf(file) !== text);
  for (const { file, text } of outdated) {
    if (onlyCheck) {
      console.error(`${file} is out of date: run "npm run openapi".`);
      continue;
    }
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`wrote ${file}`);
  }
  return onlyCheck && outdated.length > 0 ? 1 : 0;
}

/** Everything that is generated from the contracts and the table of errors, in its committed form. */
async function generateFiles(): Promise<{ file: string; text: string }[]> {
  const document = buildDocument();
  const source = structuredClone(document) as unknown as OpenAPI3;
  const types = astToString(await openapiTS(source, { alphabetize: false }));
  return [
    await formatted('docs/use/openapi.json', JSON.stringify(document)),
    await formatted('libs/client/src/generated/api.ts', HEADER + types),
    ...Array.from(errorPages(), ([name, text]) => ({ file: `docs/use/errors/${name}`, text })),
  ];
}

async function formatted(file: string, text: string): Promise<{ file: string; text: string }> {
  return { file, text: await format(text, { ...(await resolveConfig(file)), filepath: file }) };
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

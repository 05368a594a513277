// Lints texts as if they stood in files of the checkout. Standard input: [{ "file", "text" }]; standard output: for
// each of them its messages, [[{ "ruleId", "message" }]].
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));
const eslint = new ESLint({
  cwd: root,
  // The files do not exist, so that no types are known of them. The rules about imports need none.
  overrideConfig: [
    tseslint.configs.disableTypeChecked,
    { languageOptions: { parserOptions: { projectService: false, program: null, project: false } } },
  ],
});

const results = [];
for (const { file, text: code } of JSON.parse(await text(process.stdin))) {
  const [result] = await eslint.lintText(code, { filePath: `${root}/${file}` });
  results.push((result?.messages ?? []).map(({ ruleId, message }) => ({ ruleId, message })));
}
process.stdout.write(JSON.stringify(results));

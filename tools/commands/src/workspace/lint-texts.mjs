// Lints texts as if they were files of the project, by the project's own configuration. In a separate process,
// because Jest cannot load an ESLint configuration. Standard input: [{ file, text, dimension }]; last line of the
// output: [[{ rule, message }]]. `dimension` keeps one of the two dimensions of the module boundaries, so that each
// can be tested separately.
import { ESLint } from 'eslint';
import { createProjectGraphAsync } from '@nx/devkit';
import tseslint from 'typescript-eslint';

const BOUNDARIES = '@nx/enforce-module-boundaries';

/** The texts are not on disk, so they have no types: only the rules that need types are left out. */
const withoutTypes = {
  ...tseslint.configs.disableTypeChecked,
  languageOptions: { parserOptions: { projectService: false, program: null } },
};

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const cases = JSON.parse(Buffer.concat(chunks).toString());

// The boundary rule reads Nx's stored graph, and reports nothing without one.
await createProjectGraphAsync({ exitOnError: true });
const eslint = new ESLint({ overrideConfig: [withoutTypes] });
const answers = [];
for (const { file, text, dimension } of cases) {
  const linter = dimension ? await withDimension(file, dimension) : eslint;
  const [result] = await linter.lintText(text, { filePath: file });
  answers.push(result.messages.map(({ ruleId, message }) => ({ rule: ruleId, message })));
}
process.stdout.write(`\n${JSON.stringify(answers)}\n`, () => process.exit(0));

async function withDimension(file, dimension) {
  const [severity, options] = (await eslint.calculateConfigForFile(file)).rules[BOUNDARIES];
  const depConstraints = options.depConstraints.filter(({ sourceTag }) =>
    sourceTag.startsWith(`${dimension}:`),
  );
  const rules = { [BOUNDARIES]: [severity, { ...options, depConstraints }] };
  return new ESLint({ overrideConfig: [withoutTypes, { rules }] });
}

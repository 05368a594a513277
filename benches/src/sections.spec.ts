import { readFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceRoot } from '@farebox/local-services';
import { replaceSection } from './bench';

const PAGE = `# By hand

<!-- Written by \`npm run bench -- a\`. Do not edit. -->

old

<!-- End of what is written. -->

## Also by hand

<!-- Written by \`npm run bench -- b\`. Do not edit. -->

<!-- End of what is written. -->
`;

it("replaces a command's own section, and nothing else", () => {
  expect(replaceSection(PAGE, 'npm run bench -- a', 'new')).toBe(PAGE.replace('old', 'new'));
});

it('fills an empty section', () => {
  const page = replaceSection(PAGE, 'npm run bench -- b', 'new');
  expect(page).toContain('old');
  expect(page).toMatch(/-- b`\. Do not edit\. -->\n\nnew\n\n<!-- End/);
});

it('does not write to a page without its section', () => {
  expect(() => replaceSection(PAGE, 'npm run bench -- c', 'new')).toThrow('no place');
});

it.each([
  ['npm run bench', 'docs/benchmarks/README.md'],
  ['npm run bench -- gateway --loads agents', 'docs/benchmarks/agents.md'],
  ['npm run bench -- memory', 'docs/benchmarks/memory.md'],
  ['npm run bench -- memory --requests', 'docs/benchmarks/memory.md'],
  ['npm run bench -- neighbours', 'docs/benchmarks/neighbours.md'],
  ['npm run bench -- neighbours --bodies', 'docs/benchmarks/neighbours.md'],
  ['npm run bench -- operator', 'docs/benchmarks/operator.md'],
  ['npm run bench -- streams', 'docs/benchmarks/streams.md'],
  ['npm run bench -- streams --prompt', 'docs/benchmarks/streams.md'],
  ['npm run bench -- wires', 'docs/benchmarks/wires.md'],
])('%s has its place in %s', (command, file) => {
  const page = readFileSync(path.join(workspaceRoot(), file), 'utf8');
  expect(replaceSection(page, command, 'new')).toContain('new');
});

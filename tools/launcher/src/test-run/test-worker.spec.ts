import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '../../../..');

/** Runs test files of these texts in one worker, in this order, beside the modules that they share. */
function runFiles(files: Record<string, string>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'farebox-test-worker-'));
  try {
    const preset = JSON.stringify(path.join(root, 'jest.preset.cjs'));
    const overrides = `{ rootDir: __dirname, testMatch: ['**/*.spec.ts'], reporters: [] }`;
    const written = {
      ...files,
      'jest.config.cjs': `module.exports = require(${preset})('sample', ${overrides});`,
      'sequencer.cjs': `
        const Sequencer = require(${JSON.stringify(path.join(root, 'node_modules/@jest/test-sequencer'))}).default;
        module.exports = class extends Sequencer {
          sort(tests) { return [...tests].sort((a, b) => a.path.localeCompare(b.path)); }
        };`,
    };
    for (const [name, text] of Object.entries(written)) writeFileSync(path.join(folder, name), text);
    const jest = path.join(root, 'node_modules/jest/bin/jest.js');
    const args = [jest, '-i', '-c', path.join(folder, 'jest.config.cjs'), '--json'];
    const sequencer = `--testSequencer=${path.join(folder, 'sequencer.cjs')}`;
    const { stdout, stderr } = spawnSync(process.execPath, [...args, sequencer], { encoding: 'utf8' });
    const { testResults } = JSON.parse(stdout) as {
      testResults: { message: string; assertionResults: { title: string; status: string }[] }[];
    };
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    return {
      statuses: Object.fromEntries(results.map(({ title, status }) => [title, status])),
      messages: testResults.map(({ message }) => message).join('\n') + stderr,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SHARED = `
  let loads = 0;
  export const count = (): number => ++loads;
  export const late = (): unknown => require('./late');`;

it('a module is loaded once for all test files, and each of them finds nothing else of the others', () => {
  const { statuses, messages } = runFiles({
    'shared.ts': SHARED,
    'late.ts': `export const name = 'late';`,
    'a.spec.ts': `
      import { count } from './shared';
      it('first', () => {
        expect(count()).toBe(1);
        process.env.LEFT = 'by the first';
        delete process.env.PATH;
        jest.useFakeTimers();
        expect.extend({ toBeLeft: () => ({ pass: true, message: () => '' }) });
        jest.spyOn(JSON, 'stringify').mockReturnValue('spied on');
      });`,
    'b.spec.ts': `
      import { count, late } from './shared';
      it('second', async () => {
        expect(count()).toBe(2);
        expect(process.env.LEFT).toBeUndefined();
        expect(process.env.PATH).toBeDefined();
        await new Promise((resolve) => setTimeout(resolve, 1));
        expect((expect(1) as any).toBeLeft).toBeUndefined();
        expect(JSON.stringify(1)).toBe('1');
      });
      it('what a module asks for later is there', () => {
        expect(late()).toEqual({ name: 'late' });
      });`,
  });
  expect(messages).not.toMatch(/●/);
  expect(statuses).toEqual({
    first: 'passed',
    second: 'passed',
    'what a module asks for later is there': 'passed',
  });
});

it('a failure names its line in TypeScript, also in a module that another file loaded', () => {
  const { statuses, messages } = runFiles({
    'shared.ts': `export interface Unseen {\n  gone: string;\n}\n\nexport function fail(): void {\n  throw new Error('here');\n}`,
    'a.spec.ts': `import { fail } from './shared';\nit('first', () => expect(fail).toThrow());`,
    'b.spec.ts': `import { fail } from './shared';\nit('second', () => fail());`,
  });
  expect(statuses).toEqual({ first: 'passed', second: 'failed' });
  expect(messages).toMatch(/shared\.ts:6:9/);
});

it('a module cannot be mocked, since the other files have it too', () => {
  const { messages } = runFiles({
    'shared.ts': SHARED,
    'a.spec.ts': `jest.mock('./shared', () => ({}));\nimport './shared';\nit('first', () => undefined);`,
  });
  expect(messages).toMatch(
    /a\.spec\.ts mocks \.\/shared, which other test files share: give it a fake instead/,
  );
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInside, type Ran } from '../test/admin-harness';

let folder: string;
let catalog: string;
let list: string;
const FILE = `upstreams: [{ id: openai, base_url: "https://api.openai.com/v1", preset: openai }]
models:
  - id: small # the default
    routes:
      - { upstream: openai, model: gpt-small }
    input_price: 1
    output_price: 2
    context_window: 9
    max_output_tokens: 9
`;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-'));
  [catalog, list] = [join(folder, 'catalog.yaml'), join(folder, 'list.json')];
  await writeFile(catalog, FILE);
  await writeFile(
    list,
    '{"gpt-small": {"litellm_provider": "openai", "input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07}}',
  );
});
afterAll(() => rm(folder, { recursive: true }));

// It needs no database.
const run = (...args: string[]): Promise<Ran> =>
  runInside({}, ['catalog', 'import', catalog, '--from', list, ...args]);

it('prints the changed file, and what changes beside it', async () => {
  const { out, err, exitCode } = await run();
  expect(out).toContain(
    '- { upstream: openai, model: gpt-small, cost: { input_price: 0.15, output_price: 0.6 } }\n',
  );
  expect(out).toContain('- id: small # the default\n');
  expect(err).toBe(
    '~ small at openai/gpt-small: input_price: none -> 0.15\n~ small at openai/gpt-small: output_price: none -> 0.6\n',
  );
  expect(exitCode).toBe(0);
  expect(await readFile(catalog, 'utf8')).toBe(FILE);
});

it('writes a new file, never over one that exists, such as the catalogue itself', async () => {
  const out = join(folder, 'new.yaml');
  expect((await run('--out', out)).out).toMatch(
    /^~ small at .*\nWrote .*new\.yaml\. Look at it, and then: admin catalog diff /s,
  );
  expect(await readFile(out, 'utf8')).toContain('cost: { input_price: 0.15');
  expect(await run('--out', catalog)).toMatchObject({
    exitCode: 1,
    err: `The file ${catalog} cannot be written (EEXIST): give a new one.\n`,
  });
  expect(await readFile(catalog, 'utf8')).toBe(FILE);
});

it('ends with 1 if a price is refused, and names it', async () => {
  const zero = join(folder, 'zero.json');
  await writeFile(zero, '{"openai": {"models": {"gpt-small": {"cost": {"input": 0, "output": 1.5}}}}}');
  const { out, err, exitCode } = await runInside({}, ['catalog', 'import', catalog, '--from', zero]);
  expect({ out, err, exitCode }).toEqual({
    out: FILE,
    err: 'refused: small at openai/gpt-small: input_price is zero\n',
    exitCode: 1,
  });
});

it.each([
  ['no JSON', '{"a": ', /is not JSON: /],
  ['no list', '{"a": 1}', /has no prices that are understood\.\n$/],
])('refuses a file that is %s', async (_, text, message) => {
  const file = join(folder, 'wrong.json');
  await writeFile(file, text);
  const { err, exitCode } = await runInside({}, ['catalog', 'import', catalog, '--from', file]);
  expect(err).toMatch(message);
  expect(exitCode).toBe(1);
});

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chatCompletion } from '@farebox/api';
import { workspaceRoot } from '@farebox/local-services';
import { givenCustomer, startWholeService, type WholeService } from '../test/whole-service';

const readme = readFileSync(join(workspaceRoot(), 'README.md'), 'utf8');

/** The only code block of a language that contains a text. */
function exampleWith(language: string, text: string): string {
  const blocks = [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    (match) => match[1] ?? '',
  );
  const [found, ...others] = blocks.filter((block) => block.includes(text));
  if (found === undefined || others.length > 0)
    throw new Error(`the README must have exactly one ${language} example with ${text}`);
  return found;
}

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ gateways: 1 });
});
afterAll(async () => {
  await service.close();
});

it('the curl example of the README works', async () => {
  const { apiKey } = await givenCustomer(service, 'reader@example.com', '1.00');
  const command = exampleWith('sh', 'curl')
    .replace('http://127.0.0.1:8080', service.baseUrl)
    .replace('farebox-small', 'small');
  const env = { PATH: process.env['PATH'], FAREBOX_API_KEY: apiKey };
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
  expect(chatCompletion.parse(JSON.parse(stdout)).model).toBe('small');
});

it('the catalogue of the README is valid', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-readme-'));
  const file = join(folder, 'catalog.yaml');
  writeFileSync(file, exampleWith('yaml', 'upstreams:'));
  expect(await service.admin('catalog', 'apply', file)).toMatchObject({ models: 1, upstreams: 1 });
  rmSync(folder, { recursive: true });
});

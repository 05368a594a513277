import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAREBOX_VERSION } from './tracing';

it('the version matches the package', () => {
  const text = readFileSync(join(__dirname, '../../../package.json'), 'utf8');
  expect((JSON.parse(text) as { version: string }).version).toBe(FAREBOX_VERSION);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../../..');
const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join('docs', file)),
];

it.each(documents)('every file that %s links to exists', (document) => {
  const text = readFileSync(path.join(root, document), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) => target);
  const missing = targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !existsSync(path.join(root, path.dirname(document), target)));
  expect(missing).toEqual([]);
});

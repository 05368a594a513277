import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(__dirname, '../../../..');
const TYPE =
  /^type:(?:kernel|platform|storage|contract|domain|app|verbs|migration|testing|tool|e2e|console|ui|client|texts)$/;
const SCOPE = /^scope:(?:traffic|console|operations|every)$/;

const manifests = ['apps', 'libs', 'tools']
  .flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => path.join(folder, name)))
  .concat('benches')
  .map((folder) => path.join(folder, 'package.json'))
  .filter((file) => existsSync(path.join(root, file)));

const read = (file: string) =>
  JSON.parse(readFileSync(path.join(root, file), 'utf8')) as {
    nx: { name: string; tags: string[]; targets?: Record<string, unknown> };
  };

// A project without one of the two tags would be unrestricted in that dimension.
it.each(manifests)('%s has one type and one scope', (file) => {
  const { nx } = read(file);

  expect(nx.tags.filter((tag) => TYPE.test(tag))).toHaveLength(1);
  expect(nx.tags.filter((tag) => SCOPE.test(tag))).toHaveLength(1);
  expect(nx.tags).toHaveLength(2);
});

// Its tests run as the Jest project that jest.config.cjs names after its folder.
it.each(manifests)('%s has a test target, and the name of its folder', (file) => {
  const { nx } = read(file);

  expect(nx.targets).toHaveProperty('test');
  expect(nx.name).toBe(path.basename(path.dirname(file)));
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_VARIABLES } from './known-variables';

it("every variable of an app's configuration is known", () => {
  const apps = join(__dirname, '../../../apps');
  const sources = readdirSync(apps, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('/config.ts'),
  );
  expect(sources.length).toBeGreaterThanOrEqual(3);
  const named = sources.flatMap(
    (path) => readFileSync(join(apps, path), 'utf8').match(/\bFAREBOX_[A-Z_]+/g) ?? [],
  );
  expect([...new Set(named)].filter((name) => !KNOWN_VARIABLES.includes(name))).toEqual([]);
});

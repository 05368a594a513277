import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATION_NAMES } from './assert-migrated';

it('the list matches the folder prisma/migrations', () => {
  const folder = join(__dirname, '../../../prisma/migrations');
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  expect(MIGRATION_NAMES).toEqual(names.sort());
});

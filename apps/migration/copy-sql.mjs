// Puts what the bundle reads at run time beside it: the migrations and the libraries' SQL.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readSqlFiles } from '../set-up/sql-files.mjs';
import { inRoot } from '../set-up/workspace.mjs';

const folder = inRoot('dist/migration');

rmSync(path.join(folder, 'migrations'), { recursive: true, force: true });
cpSync(inRoot('prisma/migrations'), path.join(folder, 'migrations'), { recursive: true });
rmSync(path.join(folder, 'libs'), { recursive: true, force: true });
for (const { name, sql } of readSqlFiles(inRoot('libs'))) {
  const [lib, file] = name.split('/');
  const copy = path.join(folder, 'libs', lib, 'postgres', file);
  mkdirSync(path.dirname(copy), { recursive: true });
  writeFileSync(copy, sql);
}

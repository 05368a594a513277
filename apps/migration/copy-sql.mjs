// Copies the files that the bundle reads at run time next to it: the migrations and the libraries' SQL.
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';

const folder = 'dist/migration';

for (const part of ['migrations', 'libs']) rmSync(`${folder}/${part}`, { recursive: true, force: true });
cpSync('prisma/migrations', `${folder}/migrations`, { recursive: true });
for (const lib of readdirSync('libs')) {
  if (existsSync(`libs/${lib}/sql`))
    cpSync(`libs/${lib}/sql`, `${folder}/libs/${lib}/sql`, { recursive: true });
}

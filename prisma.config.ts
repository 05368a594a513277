import { defineConfig } from 'prisma/config';

const url = process.env.DATABASE_URL;

/** `npm run prisma -- <command>`; commands that reach a database take it from DATABASE_URL. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url ? { datasource: { url } } : {}),
});

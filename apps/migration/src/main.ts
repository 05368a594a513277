// What the image of the migrations runs: `npm run migrate`, and then the logins of the services.
import { join } from 'node:path';
import { ConfigError } from '@farebox/config';
import { provideServiceLogin } from '@farebox/local-services';
import { migrateDatabase } from '../set-up/migrate-database.mjs';
import { readConfig } from './src/config';

async function migrate({ databaseUrl, logins }) {
  await migrateDatabase({
    databaseUrl,
    // Beside the bundle: see copy-sql.mjs.
    migrationsFolder: join(__dirname, 'migrations'),
    libsFolder: join(__dirname, 'libs'),
  });
  for (const login of logins) {
    await provideServiceLogin(databaseUrl, login);
    console.log(`${login.user} may log in.`);
  }
  return 0;
}

async function main() {
  try {
    const { config, warnings } = readConfig(process.env);
    for (const warning of warnings) console.error(warning);
    // One that is cut off is rolled back and repeated; but why not finish what is nearly done.
    for (const signal of ['SIGTERM', 'SIGINT'])
      process.on(signal, () => console.error(`${signal}: what is under way is finished first.`));
    return await migrate(config);
  } catch (error) {
    const problems =
      error instanceof ConfigError ? error.problems : [`The migration failed: ${error.message}`];
    for (const problem of problems) console.error(problem);
    return 1;
  }
}

void main().then((exitCode) => (process.exitCode = exitCode));

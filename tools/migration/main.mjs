// What the image of the migrations runs: `npm run migrate`, and then the logins of the services.
import { join } from 'node:path';
import { ConfigError } from '@farebox/config';
import { provideServiceLogin } from '@farebox/local-services';
import { deployMigrations } from '../prisma-engine/deploy-migrations.mjs';
import { prepareQueue } from '../set-up/queue-tables.mjs';
import { installSqlFiles, readSqlFiles } from '../set-up/sql-files.mjs';
import { readConfig } from './src/config';

async function migrate({ databaseUrl, logins }) {
  const applied = await deployMigrations({
    url: databaseUrl,
    // Beside the bundle: see copy-engine.mjs.
    folder: join(__dirname, 'migrations'),
    wasmFile: join(__dirname, 'schema_engine.wasm'),
  });
  console.log(applied.length === 0 ? 'No migration was missing.' : `Applied ${applied.join(', ')}.`);
  const installed = await installSqlFiles(databaseUrl, readSqlFiles(join(__dirname, 'libs')));
  if (installed.length > 0) console.log(`Installed the SQL of ${installed.join(', ')}.`);
  const queueExitCode = await prepareQueue(databaseUrl);
  if (queueExitCode !== 0) return queueExitCode;
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
    // A migration that is cut off half-way has to be repaired by hand.
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

// Not left to end by itself: the engine keeps a timer.
void main().then((exitCode) => process.exit(exitCode));

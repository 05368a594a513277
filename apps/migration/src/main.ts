// Brings the database of DATABASE_URL to the state that this version needs, as its owner: the services' roles
// may not alter tables. The image runs it with the files next to it, and then creates the logins of the
// services; `npm run migrate` runs it on a checkout (`--workspace <folder>`). `--until <migration>` stops
// after that one, for tests of upgrades.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '@farebox/config';
import { provideServiceLogin } from '@farebox/local-services';
import { migrateDatabase, readConfig } from './migrate-database';
import { messageOf } from './owner-session';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

async function migrateWorkspace(workspace: string, until: string | undefined): Promise<void> {
  const databaseUrl = process.env['DATABASE_URL'];
  if (!databaseUrl) throw new ConfigError(['DATABASE_URL is required but not set.']);
  await migrateDatabase({
    databaseUrl,
    migrationsFolder: join(workspace, 'prisma/migrations'),
    libsFolder: join(workspace, 'libs'),
    until,
    say,
  });
}

async function migrateDeployment(until: string | undefined): Promise<void> {
  const { config, warnings } = readConfig(process.env);
  warnings.forEach(complain);
  // An interrupted migration is rolled back and repeated; but one that is nearly done should rather finish.
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => {
      complain(`${signal}: what is under way is finished first.`);
    });
  await migrateDatabase({
    databaseUrl: config.databaseUrl,
    migrationsFolder: join(__dirname, 'migrations'),
    libsFolder: join(__dirname, 'libs'),
    until,
    say,
  });
  for (const login of config.logins) {
    await provideServiceLogin(config.databaseUrl, login);
    say(`${login.user} may log in.`);
  }
}

async function main(): Promise<void> {
  try {
    const { values } = parseArgs({ options: { workspace: { type: 'string' }, until: { type: 'string' } } });
    if (values.workspace === undefined) await migrateDeployment(values.until);
    else await migrateWorkspace(values.workspace, values.until);
  } catch (error) {
    const problems =
      error instanceof ConfigError ? error.problems : [`The migration failed: ${messageOf(error)}`];
    problems.forEach(complain);
    process.exitCode = 1;
  }
}

void main();

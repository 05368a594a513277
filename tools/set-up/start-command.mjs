import { pathToFileURL } from 'node:url';
import { ensureInstalled, runCommandOfTools } from '../install.mjs';
import { build } from './build.mjs';
import { endWithNpm } from './end-with-npm.mjs';
import { inRoot } from './workspace.mjs';

const PROJECTS = ['gateway', 'account', 'worker', 'admin', 'simulated-upstream', 'edge', 'launcher'];

const HELP = `npm start               start Farebox on http://127.0.0.1:8080
npm start -- --reset    first delete the embedded database and everything else under .farebox
npm start -- --help     show this

FAREBOX_PORT    another port
DATABASE_URL    a PostgreSQL of your own in place of the embedded one
REDIS_URL       a Redis for rate limits and jobs; without it, Farebox works within each process`;

/** Reads the options, prepares what is missing, and hands over to the launcher. */
export async function startCommand(args) {
  endWithNpm();
  const unknown = args.find((arg) => !['--reset', '--help', '-h'].includes(arg));
  if (unknown !== undefined) {
    console.error(`npm start knows no option "${unknown}": see npm start -- --help.`);
    process.exitCode = 1;
  } else if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
  } else {
    await runCommandOfTools(() => prepareAndStart({ reset: args.includes('--reset') }));
  }
}

async function prepareAndStart(options) {
  await ensureInstalled((line) => console.log(line));
  console.log('Building');
  await build(PROJECTS);
  const launcher = await import(pathToFileURL(inRoot('dist/launcher/main.js')).href);
  process.exit(await launcher.start(options));
}

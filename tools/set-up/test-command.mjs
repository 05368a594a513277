import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled, runCommandOfTools } from '../install.mjs';
import { build } from './build.mjs';
import { endWithNpm } from './end-with-npm.mjs';
import { inRoot } from './workspace.mjs';

const TARGETS = ['lint', 'typecheck', 'test', 'build'];

const HELP = `npm test                                  format check, then lint, typecheck, tests and build of everything
npm test -- --projects money,ledger       of these projects only
npm test -- --targets test                these targets only (${TARGETS.join(', ')})
npm test -- --affected --base=main        of what has changed since a revision only (see nx affected)
npm test -- -- npx jest -c libs/ledger/jest.config.cjs
                                          any command, with the services of the tests up

The tests run on a PostgreSQL and a Redis of their own, on free ports, which are gone afterwards.`;

/** Reads the options, prepares what is missing, and hands over to the test run. */
export async function testCommand(args) {
  endWithNpm();
  const request = readArguments(args);
  if (request.error) {
    console.error(`npm test: ${request.error} See npm test -- --help.`);
    process.exitCode = 1;
  } else if (request.help) {
    console.log(HELP);
  } else {
    await runCommandOfTools(() => prepareAndRun(request));
  }
}

async function prepareAndRun(request) {
  await ensureInstalled((line) => console.log(line));
  await build(['launcher']);
  const launcher = await import(pathToFileURL(inRoot('dist/launcher/test-run.js')).href);
  try {
    process.exit(await launcher.runTests(request));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

function readArguments(args) {
  const separator = args.indexOf('--');
  const own = separator < 0 ? args : args.slice(0, separator);
  const command = separator < 0 ? [] : args.slice(separator + 1);
  try {
    const { values } = parseArgs({
      args: own,
      options: {
        affected: { type: 'boolean' },
        base: { type: 'string' },
        head: { type: 'string' },
        projects: { type: 'string' },
        targets: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    return {
      help: values.help ?? false,
      nx: values.affected ? 'affected' : 'run-many',
      targets: list(values.targets) ?? TARGETS,
      projects: list(values.projects) ?? [],
      revisions: ['base', 'head'].flatMap((name) => (values[name] ? [`--${name}=${values[name]}`] : [])),
      command,
    };
  } catch (error) {
    return { error: `${error.message.split('. ')[0]}.` };
  }
}

function list(text) {
  return text?.split(',').filter(Boolean);
}

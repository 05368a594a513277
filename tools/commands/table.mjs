// Every command of this checkout, by the words that call it.
// @ts-check
import { existsSync } from 'node:fs';
import path from 'node:path';
import { installAgents } from './agents.mjs';
import { callBundled, handOver, nx, runSource } from './hand-over.mjs';
import { CommandError, runInPlace } from './processes.mjs';
import { createProgress } from './progress.mjs';
import { inRoot, localEnvironment, root } from './workspace.mjs';
import { prismaEnvironment } from './prisma-environment.mjs';

/**
 * @typedef {object} Call what was typed behind the command's name
 * @property {string[]} args all of it
 * @property {Record<string, string | boolean | undefined>} values its options, if the command names any
 * @property {string[]} rest what stands behind `--`
 *
 * @typedef {object} Command
 * @property {string} summary what it does, in a line
 * @property {string} [help] what `--help` shows, at once; without it, `--help` is passed on
 * @property {Record<string, { type: 'string' | 'boolean', short?: string }>} [options] no other one is taken
 * @property {string[] | ((values: Call['values']) => string[])} [build] projects that are built first
 * @property {string} [script] a file of dist/ that is run with the arguments
 * @property {boolean} [inProcess] it runs in this process, to begin sooner
 * @property {string[]} [firstArgs] go before them
 * @property {NodeJS.ProcessEnv} [environment] of the script, unless the shell's says otherwise
 * @property {(call: Call) => Promise<number>} [run] in place of a script; resolves to the exit code
 */

const TARGETS = ['lint', 'typecheck', 'test', 'build'];

const STARTED = ['gateway', 'account', 'worker', 'admin', 'simulated-upstream', 'edge', 'commands'];

/** @type {Record<string, Command>} */
export const COMMANDS = {
  start: {
    summary: 'start Farebox on http://127.0.0.1:8080',
    help: `npm start               start Farebox on http://127.0.0.1:8080
npm start -- --operator start the operator's console, too, on http://127.0.0.1:8083/operator
npm start -- --reset    first delete the embedded database and everything else under .farebox
npm start -- --help     show this

FAREBOX_PORT            another port
FAREBOX_OPERATOR_PORT   another port of the operator's console
DATABASE_URL            a PostgreSQL of your own in place of the embedded one
REDIS_URL               a Redis for rate limits and jobs; without it, Farebox works within each process`,
    options: { reset: { type: 'boolean' }, operator: { type: 'boolean' } },
    build: (values) => (values['operator'] ? [...STARTED, 'operator'] : STARTED),
    run: ({ values }) =>
      handOver('dist/commands/main.js', 'start', {
        reset: values['reset'] ?? false,
        operator: values['operator'] ?? false,
        progress: createProgress((line) => console.log(line)),
      }),
  },
  test: {
    summary: 'check the format, then lint, typecheck, test and build everything',
    help: `npm test                                  format check, then lint, typecheck, tests and build of everything
npm test -- --projects money,ledger       of these projects only
npm test -- --targets test                these targets only (${TARGETS.join(', ')})
npm test -- --affected --base=main        of what has changed since a revision only (see nx affected)
npm test -- -- npx jest libs/ledger       any command, with the services of the tests up

The tests run on a PostgreSQL and a Redis of their own, on free ports, which are gone afterwards.`,
    options: {
      affected: { type: 'boolean' },
      base: { type: 'string' },
      head: { type: 'string' },
      projects: { type: 'string' },
      targets: { type: 'string' },
    },
    run: ({ values, rest }) =>
      callBundled('tools/commands/src/test-run/run-tests.ts', 'runTests', {
        nx: values['affected'] ? 'affected' : 'run-many',
        targets: list(values['targets']) ?? TARGETS,
        projects: list(values['projects']) ?? [],
        revisions: ['base', 'head'].flatMap((name) =>
          values[name] ? [`--${name}=${String(values[name])}`] : [],
        ),
        command: rest,
      }).catch((error) => {
        throw new CommandError(error.message);
      }),
  },
  admin: {
    summary: "the operator's command, on what npm start has set up unless the environment says otherwise",
    build: ['admin'],
    script: 'dist/admin/main.js',
    inProcess: true,
    environment: localEnvironment(),
  },
  agents: {
    summary: 'coding agents from npm do tasks, and meet a context that is full and a limit that is spent',
    help: `npm run agents                         all of them (a quarter of an hour)
npm run agents -- --only claude,codex  these only, of claude, claude-tool-search, codex, codex-builtin, opencode, qwen, pi,
                                       copilot, copilot-responses and copilot-messages

They are installed under .farebox/agents, almost two gigabytes, the first time. Each works in a folder of its own, by a
service with the simulated upstream: no account, and nothing beyond this machine. By servers of chat, messages and Responses,
each runs a command, and what was charged is checked, and the books; then it runs one again and again, until its server says
that the conversation is too long. Last, its first prompt is too long, and its key's monthly limit is spent. What it was told
is printed, and what it said is in .farebox/agents/said.`,
    options: { only: { type: 'string' } },
    run: async ({ values }) => {
      await installAgents((line) => console.error(line));
      const only = values['only'];
      if (typeof only === 'string') process.env['FAREBOX_TEST_AGENTS'] = only;
      return terminalTest('agents', ['--verbose']);
    },
  },
  build: {
    summary: 'bundle projects into dist/, as the images do',
    help: 'npm run build -- gateway account    bundle these projects into dist/',
    run: ({ args }) => nx('build', args),
  },
  bench: {
    summary: 'the gateway beside bare proxies, a floor and other gateways (30 minutes; --seconds, --rounds)',
    build: ['benches', 'gateway', 'admin'],
    script: 'dist/benches/main.js',
    firstArgs: ['gateway'],
  },
  'bench console': {
    summary: 'what pages of the console weigh, and when they are painted (3 minutes, beside npm start)',
    help: 'npm run bench -- console    writes docs/benchmarks/console.md, while npm start is running',
    run: () => runSource('tools/commands/src/console/figures.ts', undefined),
  },
  'bench gateway': {
    summary: 'the same as npm run bench; --loads agents for what agents send; --help lists all options',
    build: ['benches', 'gateway', 'admin'],
    script: 'dist/benches/main.js',
    firstArgs: ['gateway'],
  },
  'bench ledger': {
    summary: 'holds and charges of the ledger alone (2 minutes)',
    build: ['benches'],
    script: 'dist/benches/main.js',
    firstArgs: ['ledger'],
  },
  'bench memory': {
    summary: 'idle memory of what npm start runs, or of a gateway beside long requests (2 minutes)',
    build: ['benches', ...STARTED],
    script: 'dist/benches/main.js',
    firstArgs: ['memory'],
  },
  'bench neighbours': {
    summary: 'a customer beside one attacker at a time (15 minutes)',
    build: ['benches', 'gateway', 'account', 'worker'],
    script: 'dist/benches/main.js',
    firstArgs: ['neighbours'],
  },
  'bench operator': {
    summary: 'what an operator asks, beside a million requests or more (3 minutes)',
    build: ['benches'],
    script: 'dist/benches/main.js',
    firstArgs: ['operator'],
  },
  'bench streams': {
    summary: 'memory of thousands of open streams (12 minutes)',
    build: ['benches', 'gateway', 'admin'],
    script: 'dist/benches/main.js',
    firstArgs: ['streams'],
  },
  'bench wires': {
    summary: 'Responses and messages beside chat completions (4 minutes)',
    build: ['benches', 'gateway', 'admin'],
    script: 'dist/benches/main.js',
    firstArgs: ['wires'],
  },
  'crash-test': {
    summary: 'kill gateways, worker and PostgreSQL under load',
    build: ['gateway', 'worker', 'gateway-e2e'],
    script: 'dist/gateway-e2e/crash-test.js',
  },
  'failover-test': {
    summary: 'kill the primary of a Patroni cluster under load (10 minutes)',
    build: ['gateway', 'worker', 'gateway-e2e'],
    script: 'dist/gateway-e2e/failover-test.js',
  },
  'guide-test': {
    summary: 'follow the operating guide on Docker, under load (40 minutes)',
    build: ['deployment-e2e'],
    script: 'dist/deployment-e2e/guide-test.js',
  },
  migrate: {
    summary: 'bring the database of DATABASE_URL, as its owner, to what this code needs',
    build: ['migration'],
    script: 'dist/migration/main.js',
    firstArgs: ['--workspace', root],
  },
  openapi: {
    summary: 'write docs/use/openapi.json, docs/errors and the types of @farebox/client from the contracts',
    help: `npm run openapi               write docs/use/openapi.json, docs/errors and the types of @farebox/client from the contracts
npm run openapi -- --check    write nothing, and fail if one of them is out of date`,
    options: { check: { type: 'boolean' } },
    run: ({ values }) => runSource('tools/commands/src/openapi.ts', values['check'] === true),
  },
  operating: {
    summary: 'write the variables of docs/operate/operating.md from the schemas that the apps read them with',
    help: `npm run operating               write the variables of docs/operate/operating.md from libs/config
npm run operating -- --check    write nothing, and fail if the manual is out of date`,
    options: { check: { type: 'boolean' } },
    run: ({ values }) => runSource('tools/commands/src/operating.ts', values['check'] === true),
  },
  prisma: {
    summary: "Prisma's own command, on the WebAssembly schema engine of npm",
    run: ({ args }) =>
      runInPlace(inRoot('node_modules/prisma/build/index.js'), args, prismaEnvironment(process.env)),
  },
  screenshots: {
    summary:
      'pictures of every page and state of the console, light, dark, German and on phones, beside npm start',
    help: `npm run screenshots                              into screenshots/, while npm start is running
npm run screenshots -- --folder /tmp/pictures    into another folder
npm run screenshots -- --only home,usage         of these pages only
npm run screenshots -- --looks phone,german      in these looks only: light, dark, phone, narrow, german, german-narrow

CHROMIUM_PATH    the browser, unless it is Debian's`,
    options: { folder: { type: 'string' }, only: { type: 'string' }, looks: { type: 'string' } },
    run: ({ values }) =>
      runSource('tools/commands/src/console/screenshots.ts', {
        folder: values['folder'] ?? 'screenshots',
        only: list(values['only']) ?? [],
        looks: list(values['looks']) ?? [],
      }),
  },
  'real-servers': {
    summary: 'try a server of yours as an upstream: streams, tools, overflow, aborts, what it reports',
    help: `npm run real-servers -- --url http://127.0.0.1:8000/v1 --model name    any server of chat completions
npm run real-servers -- --llama-server /path/to/llama-server           llama.cpp's, with a model of random weights

--context 8192              the most tokens of a prompt and its response together, as your server is set
--embeddings-model name     another model, for embeddings
--embeddings-url http://…   if it is served elsewhere
--api-key-env NAME          the environment variable that has the key of the server

Some fifty requests go through a service of its own, on a database that is gone afterwards: in one piece and as streams, by
chat completions, messages and responses. What the server reports is held against what is charged. It is asked for little,
but twice for half of its context, to be left in the midst.`,
    options: {
      'llama-server': { type: 'string' },
      url: { type: 'string' },
      model: { type: 'string' },
      context: { type: 'string' },
      'embeddings-model': { type: 'string' },
      'embeddings-url': { type: 'string' },
      'api-key-env': { type: 'string' },
    },
    run: ({ values }) => {
      process.env['FAREBOX_TEST_REAL_SERVER'] = JSON.stringify(toRealServer(values));
      return terminalTest('real-servers', ['--verbose']);
    },
  },
  'revoke-test': {
    summary: 'take API keys away under load, Redis up and down',
    build: ['gateway', 'account', 'admin', 'gateway-e2e'],
    script: 'dist/gateway-e2e/revoke-test.js',
  },
  'soak-test': {
    summary: 'run the service under load and faults for hours, and look for what grows',
    build: ['gateway', 'worker', 'gateway-e2e'],
    script: 'dist/gateway-e2e/soak-test.js',
  },
};

/**
 * Tests that are no part of `npm test`, with its services up.
 * @param {string} name
 * @param {string[]} args
 */
function terminalTest(name, args) {
  const command = [
    'npx',
    'jest',
    '--selectProjects',
    'gateway',
    '--testMatch',
    `**/${name}.terminal.ts`,
    ...args,
  ];
  const run = { nx: 'run-many', targets: [], projects: [], revisions: [], command };
  return callBundled('tools/commands/src/test-run/run-tests.ts', 'runTests', run).catch((error) => {
    throw new CommandError(error.message);
  });
}

/** @param {Call['values']} values */
function toRealServer(values) {
  const { url, model, context } = values;
  const llamaServer = values['llama-server'];
  const hint = 'See npm run real-servers -- --help.';
  if ((llamaServer === undefined) === (url === undefined))
    throw new CommandError(
      `Name either a server's --url and --model, or a program as --llama-server. ${hint}`,
    );
  if (url !== undefined && model === undefined)
    throw new CommandError(`What does the server call its model? Name it as --model. ${hint}`);
  if (context !== undefined && !(Number(context) >= LEAST_CONTEXT))
    throw new CommandError(`--context: a number of tokens, ${LEAST_CONTEXT} at least. ${hint}`);
  if (typeof llamaServer === 'string' && !existsSync(llamaServer))
    throw new CommandError(
      `There is no ${llamaServer}. llama.cpp's releases have the program llama-server. ${hint}`,
    );
  const apiKeyEnv = values['api-key-env'];
  if (typeof apiKeyEnv === 'string' && !process.env[apiKeyEnv])
    throw new CommandError(`The environment variable ${apiKeyEnv} is not set. ${hint}`);
  const embeddings = { embeddingsModel: values['embeddings-model'], embeddingsUrl: values['embeddings-url'] };
  return {
    llamaServer: llamaServer && path.resolve(String(llamaServer)),
    url,
    model,
    context,
    apiKeyEnv,
    ...embeddings,
  };
}

/** Fewer columns leave no room for the table. */
const LEAST_CONTEXT = 4_096;

/** @param {string | boolean | undefined} text */
function list(text) {
  return typeof text === 'string' ? text.split(',').filter(Boolean) : undefined;
}

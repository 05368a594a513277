import { spawnSync } from 'node:child_process';
import path from 'node:path';

const commands = path.join(__dirname, '..');

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, out: stdout.trim(), err: stderr.trim() };
}

const command = (...args: string[]) => run(path.join(commands, 'main.mjs'), ...args);

it.each([
  ['npm start', ['start', '--rest']],
  ['npm test', ['test', '--rest']],
  ['npm run openapi', ['openapi', '--rest']],
])('%s responds to an unknown option with one sentence', (typed, args) => {
  const sentence = `${typed}: Unknown option '--rest'. See ${typed} -- --help.`;

  expect(command(...args)).toEqual({ code: 1, out: '', err: sentence });
});

it.each(['start', 'test', 'build', 'openapi', 'operating'])('%s --help shows the usage', (name) => {
  expect(command(name, '--help')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^npm /) as string,
    err: '',
  });
});

it.each([
  [[], 'Name either'],
  [['--url', 'http://127.0.0.1:1/v1'], 'What does the server call its model?'],
  [
    ['--url', 'http://127.0.0.1:1/v1', '--model', 'm', '--context', '10'],
    '--context: a number of tokens, 4096',
  ],
  [['--llama-server', '/no/such/program'], 'There is no /no/such/program.'],
  [
    ['--url', 'http://127.0.0.1:1/v1', '--model', 'm', '--api-key-env', 'NOT_SET_AT_ALL'],
    'NOT_SET_AT_ALL is not set',
  ],
])('real-servers %j says what is missing', (args, sentence) => {
  const { code, out, err } = command('real-servers', ...args);

  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(sentence);
  expect(err).toContain('See npm run real-servers -- --help.');
});

it('lists every command with a line', () => {
  const { code, out } = command('--help');

  expect(code).toBe(0);
  expect(out.split('\n').length).toBeGreaterThan(10);
  for (const line of out.split('\n'))
    expect(line).toMatch(/^npm (?:start|test|run [a-z-]+(?: -- [a-z-]+)?) +\S/);
});

it('lists the benches on request', () => {
  const { code, out } = command('bench', '--help');

  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual([
    'npm run bench',
    ...['console', 'gateway', 'ledger', 'memory', 'neighbours', 'operator', 'streams', 'wires'].map(
      (name) => `npm run bench -- ${name}`,
    ),
  ]);
});

it.each([
  [['nothing'], 'There is no command "nothing". There are:'],
  [['bench', 'nothing'], 'There is no command "bench nothing". There are:'],
])('%j is no command', (args, sentence) => {
  const { code, out, err } = command(...args);

  expect({ code, out, first: err.split('\n')[0] }).toEqual({ code: 1, out: '', first: sentence });
});

const asVersion = (version: string, call: string) =>
  run(
    '-e',
    `Object.defineProperty(process, 'version', { value: '${version}' });
     import('${path.join(commands, 'node-version.mjs')}').then((module) => module.${call}());`,
  );

it.each([
  ['v18.20.0', 'Farebox needs Node 20.19 or newer; this is v18.20.0.'],
  ['v20.18.3', 'Farebox needs Node 20.19 or newer; this is v20.18.3.'],
  ['v21.7.0', 'Farebox needs Node 20.19, 22.12 or 24 or newer; this is v21.7.0.'],
  ['v20.19.0', ''],
  ['v22.12.0', ''],
  ['v26.0.0', ''],
])('Node %s: "%s"', (version, sentence) => {
  expect(asVersion(version, 'checkNode')).toEqual({ code: sentence === '' ? 0 : 1, out: '', err: sentence });
});

it.each([
  ['v20.19.0', 'Node 20 is past its end of life; it still works, but use 24.'],
  ['v22.12.0', ''],
  ['v24.0.0', ''],
])('Node %s is warned of with "%s"', (version, line) => {
  expect(asVersion(version, 'warnOfOldNode')).toEqual({ code: 0, out: '', err: line });
});

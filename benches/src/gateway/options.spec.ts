import { LOAD_GROUPS, LOADS } from './loads';
import { HELP, readOptions } from './options';

it('measures all contestants, and writes the page', () => {
  expect(readOptions([])).toMatchObject({
    only: ['dispatch', 'request', 'floor', 'floor-ledger', 'farebox', 'portkey', 'llms', 'litellm'],
    loads: ['whole-1', 'whole-10', 'whole-64', 'paced-2', 'paced-20', 'bursts'],
    page: { file: 'docs/benchmarks/README.md' },
    commandLine: 'npm run bench',
  });
});

it('measures a selection in the order of the tables, and writes nothing', () => {
  expect(readOptions(['--only', 'farebox,dispatch', '--loads', 'bursts,whole-1'])).toMatchObject({
    only: ['dispatch', 'farebox'],
    loads: ['whole-1', 'bursts'],
    page: undefined,
  });
});

it("measures agents' loads, and writes their page", () => {
  expect(readOptions(['--loads', 'agents', '--seconds', '1', '--rounds', '3'])).toMatchObject({
    seconds: 1,
    rounds: 3,
    page: { file: 'docs/benchmarks/agents.md' },
    commandLine: 'npm run bench -- gateway --loads agents --seconds 1 --rounds 3',
  });
  expect(readOptions(['--loads', 'agents', '--no-write'])).toMatchObject({ page: undefined });
});

it('describes every load in its help', () => {
  const named = Object.keys(LOADS).filter((name) => !/^(?:\d+k?|session)-/.test(name));
  for (const name of [...named, ...Object.keys(LOAD_GROUPS)]) expect(HELP).toContain(name);
});

it('profiles whole responses at 64 connections, or the named load', () => {
  expect(readOptions([])).toMatchObject({ profile: undefined });
  expect(readOptions(['--profile'])).toMatchObject({ profile: { connections: 64, stream: false } });
  expect(readOptions(['--profile', '--loads', 'bursts'])).toMatchObject({ profile: { stream: true } });
});

it('leaves Portkey out', () => {
  expect(readOptions(['--no-portkey'])).toMatchObject({
    only: ['dispatch', 'request', 'floor', 'floor-ledger', 'farebox', 'llms', 'litellm'],
  });
});

it.each([
  [['--only', 'nobody'], '--only knows no "nobody"'],
  [['--loads', 'toString'], '--loads knows no "toString"'],
  [['--profile', '--loads', 'bursts,whole-1'], '--profile is of one load.'],
  [['--warm-up', 'x'], '--warm-up takes a whole number above zero.'],
  [['--seconds', '0'], '--seconds takes a whole number above zero.'],
])('%j is refused', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});

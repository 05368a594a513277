import { readOptions } from './gateway';

it('measures all contestants, and writes the page', () => {
  expect(readOptions([])).toMatchObject({
    only: ['dispatch', 'request', 'farebox', 'portkey', 'llms', 'litellm'],
    loads: ['whole-1', 'whole-10', 'whole-64', 'paced-2', 'paced-20', 'bursts'],
    write: true,
    commandLine: 'npm run bench',
  });
});

it('measures a selection in the order of the tables, and writes nothing', () => {
  expect(readOptions(['--only', 'farebox,dispatch', '--loads', 'bursts,whole-1'])).toMatchObject({
    only: ['dispatch', 'farebox'],
    loads: ['whole-1', 'bursts'],
    write: false,
  });
});

it('profiles whole responses at 64 connections, or the named load', () => {
  expect(readOptions([])).toMatchObject({ profile: undefined });
  expect(readOptions(['--profile'])).toMatchObject({ profile: { connections: 64, stream: false } });
  expect(readOptions(['--profile', '--loads', 'bursts'])).toMatchObject({ profile: { stream: true } });
});

it('leaves Portkey out', () => {
  expect(readOptions(['--no-portkey'])).toMatchObject({
    only: ['dispatch', 'request', 'farebox', 'llms', 'litellm'],
  });
});

it.each([
  [['--only', 'nobody'], '--only knows no "nobody"'],
  [['--loads', 'toString'], '--loads knows no "toString"'],
  [['--profile', '--loads', 'bursts,whole-1'], '--profile is of one load.'],
  [['--seconds', '0'], '--seconds takes a whole number above zero.'],
])('%j is refused', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});

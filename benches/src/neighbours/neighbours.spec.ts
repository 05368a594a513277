import { ATTACKS } from './attacks';
import { HELP, readOptions } from './neighbours';

it('without arguments every attacker has its rounds, and the table is written', () => {
  expect(readOptions([])).toMatchObject({ seconds: 5, rounds: 3, attacks: ATTACKS });
  expect(readOptions([])).toMatchObject({ out: 'docs/benchmarks/neighbours.md' });
});

it('a selection of attackers writes no table', () => {
  const options = readOptions(['--only', 'row-lock,cjk']);
  expect(options).toMatchObject({ attacks: [{ name: 'row-lock' }, { name: 'cjk' }], out: undefined });
  expect(readOptions(['--only', 'cjk', '--out', 'cjk.md'])).toMatchObject({ out: 'cjk.md' });
});

it('the help names every attacker', () => {
  expect(readOptions(['--help'])).toBe('help');
  for (const { name } of ATTACKS) expect(HELP).toContain(name);
});

it.each([
  [['--rounds', '0'], '--rounds takes a whole number above zero.'],
  [['--only', 'nobody'], '--only knows no attacker "nobody"'],
  [['--json'], "Unknown option '--json'"],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence);
});

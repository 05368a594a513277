import { readOptions } from './options';

describe('the command', () => {
  it('takes a seed and the number of rounds', () => {
    expect(readOptions(['--rounds', '100', '--seed', '7'], { seed: '1' })).toMatchObject({
      rounds: 100,
      seed: '7',
    });
    expect(readOptions([], { seed: '1' })).toMatchObject({ seed: '1', logFolder: undefined });
    expect(readOptions(['--help'], { seed: '1' })).toBe('help');
  });

  it.each([
    ['--rounds', '0'],
    ['--rounds', 'many'],
    ['--lease', '999'],
    ['--round', '3'],
  ])('refuses %s %s', (name, value) => {
    expect(() => readOptions([name, value], { seed: '1' })).toThrow(name);
  });
});

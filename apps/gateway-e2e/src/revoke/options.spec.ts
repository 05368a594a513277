import { readOptions } from './options';

describe('the command', () => {
  it('takes a seed, the number of rounds and of gateways', () => {
    expect(readOptions(['--rounds', '100', '--gateways', '2', '--seed', '7'], { seed: '1' })).toMatchObject({
      ...{ rounds: 100, gateways: 2, seed: '7' },
    });
    expect(readOptions([], { seed: '1' })).toMatchObject({ seed: '1', rounds: 1_260, gateways: 4 });
    expect(readOptions(['--help'], { seed: '1' })).toBe('help');
  });

  it.each([
    ['--rounds', '0'],
    ['--gateways', 'many'],
    ['--round', '3'],
  ])('refuses %s %s', (name, value) => {
    expect(() => readOptions([name, value], { seed: '1' })).toThrow(name);
  });
});

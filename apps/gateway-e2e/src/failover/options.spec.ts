import { readOptions } from './options';

describe('the command', () => {
  it('takes the number of kills, and prints JSON if it shall', () => {
    expect(readOptions(['--kills', '3', '--json'], { seed: '1' })).toMatchObject({ kills: 3, isJson: true });
    expect(readOptions([], { seed: '1' })).toMatchObject({ seed: '1', kills: 10, isJson: false });
    expect(readOptions(['--help'], { seed: '1' })).toBe('help');
  });

  it.each([
    ['--kills', '0'],
    ['--ttl', '7'],
    ['--kill', '3'],
  ])('refuses %s %s', (name, value) => {
    expect(() => readOptions([name, value], { seed: '1' })).toThrow(name);
  });
});

import { readOptions } from './options';

describe('the command', () => {
  it('takes a fault and how often it happens, and prints JSON if it shall', () => {
    expect(readOptions(['--fault', 'primary-frozen', '--times', '3', '--json'], { seed: '1' })).toMatchObject(
      {
        ...{ fault: 'primary-frozen', times: 3, isJson: true },
      },
    );
    expect(readOptions([], { seed: '1' })).toMatchObject({
      ...{ seed: '1', fault: 'primary-killed', times: 10, isJson: false },
    });
    expect(readOptions(['--help'], { seed: '1' })).toBe('help');
  });

  it.each([
    ['--times', '0'],
    ['--fault', 'everything'],
    ['--ttl', '7'],
    ['--time', '3'],
  ])('refuses %s %s', (name, value) => {
    expect(() => readOptions([name, value], { seed: '1' })).toThrow(name);
  });
});

import { ConfigError, loadConfig, toBoardConfig } from './settings';

const TOKEN = 't'.repeat(32);
const read = (environment: Record<string, string>) =>
  toBoardConfig(
    loadConfig('worker', environment, ['FAREBOX_BOARD_PORT', 'FAREBOX_BOARD_HOST', 'FAREBOX_BOARD_TOKEN'])
      .values,
  );

describe('the queue board', () => {
  it('is off without a port, whatever else is set', () => {
    expect(read({})).toBeUndefined();
    expect(read({ FAREBOX_BOARD_TOKEN: TOKEN, FAREBOX_BOARD_HOST: '0.0.0.0' })).toBeUndefined();
  });

  it('listens only on this machine by default', () => {
    expect(read({ FAREBOX_BOARD_PORT: '8085', FAREBOX_BOARD_TOKEN: TOKEN })).toEqual({
      host: '127.0.0.1',
      port: 8085,
      token: TOKEN,
    });
  });

  it.each([
    [
      'no token',
      { FAREBOX_BOARD_PORT: '8085' },
      'FAREBOX_BOARD_TOKEN is required if FAREBOX_BOARD_PORT is set.',
    ],
    [
      'a token that can be guessed',
      { FAREBOX_BOARD_PORT: '8085', FAREBOX_BOARD_TOKEN: 't'.repeat(31) },
      'FAREBOX_BOARD_TOKEN must have at least 32 printable ASCII characters.',
    ],
    ['no port', { FAREBOX_BOARD_PORT: 'http' }, 'FAREBOX_BOARD_PORT must be a whole number from 0 to 65535.'],
  ])('refuses %s', (_, environment, problem) => {
    expect(() => read(environment)).toThrow(new ConfigError([problem]));
  });
});

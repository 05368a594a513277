import { runInside } from './admin.stand';

const COMMANDS = [
  ['account', 'create'],
  ['account', 'activate'],
  ['account', 'suspend'],
  ['account', 'fund'],
  ['account', 'adjust'],
  ['account', 'caps'],
  ['account', 'list'],
  ['account', 'show'],
  ['session', 'create'],
  ['key', 'create'],
  ['catalog', 'apply'],
  ['ledger', 'verify'],
  ['review', 'list'],
  ['review', 'show'],
  ['review', 'resolve'],
];

describe('the command line', () => {
  it.each(COMMANDS)('%s %s has help with an example', async (...command) => {
    const { exitCode, out, err } = await runInside({}, [...command, '--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain(`Usage: admin ${command.join(' ')}`);
    expect(out).toMatch(/Examples?:\n {2}admin /);
    expect(out).toContain('--json');
  });

  it.each([[[]], [['account']], [['nonsense']], [['account', 'nonsense']], [['--nonsense']]])(
    'does not understand %j',
    async (args) => {
      const { exitCode, out, err } = await runInside({}, args);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
      expect(err).not.toBe('');
    },
  );

  it('says what is missing in the environment', async () => {
    expect(await runInside({}, ['ledger', 'verify'])).toEqual({
      exitCode: 1,
      out: '',
      err: 'DATABASE_URL is required but not set.\n',
    });
  });

  it('says that the database is not there', async () => {
    const environment = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' };
    expect(await runInside(environment, ['account', 'list'])).toEqual({
      exitCode: 1,
      out: '',
      err: 'The database of DATABASE_URL cannot be reached, or did not answer in time.\n',
    });
  });
});

import { runInside } from '../test/admin-harness';
import { runAdmin } from './program';
import { allCommands, shellWords } from '../test/all-commands';

async function helpOf(...words: string[]): Promise<string> {
  const { exitCode, out, err } = await runInside({}, [...words, '--help']);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return out;
}

describe('the command line', () => {
  it.each(allCommands())('%s has help with valid examples', async (words) => {
    const help = await helpOf(...words.split(' '));
    expect(help).toContain(`Usage: admin ${words}`);
    expect(help).toContain('--json');
    expect(help).toContain('--by <name>');
    const [, examples = ''] = help.split(/Examples?:\n/);
    const lines = examples.split('\n').filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/^ {2}admin /);
      // No database is touched: a valid command line fails because it finds none.
      const run = { environment: {}, userName: () => 'grace', ask: () => Promise.resolve('y') };
      let err = '';
      const exitCode = await runAdmin(shellWords(line).slice(1), {
        ...run,
        out: () => undefined,
        err: (text) => (err += text),
      });
      expect({ line, exitCode, err }).toMatchObject({ exitCode: 1 });
    }
  });

  it('documents its exit codes', async () => {
    expect(await helpOf()).toContain('Exit codes: 0 ');
  });

  it.each([[[]], [['account']], [['nonsense']], [['account', 'nonsense']], [['--nonsense']]])(
    'refuses %j as wrong usage',
    async (args) => {
      const { exitCode, out, err } = await runInside({}, args);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
      expect(err).not.toBe('');
    },
  );

  it('names missing variables', async () => {
    expect(await runInside({}, ['ledger', 'verify'])).toEqual({
      exitCode: 1,
      out: '',
      err: 'DATABASE_URL is required but not set.\n',
    });
  });

  it('reports an unreachable database', async () => {
    const environment = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' };
    expect(await runInside(environment, ['account', 'list'])).toEqual({
      exitCode: 1,
      out: '',
      err: 'The database of DATABASE_URL cannot be reached, or did not answer in time.\n',
    });
  });
});

import { CommandFailure, UsageError } from '@farebox/verbs';
import { confirm } from './command-run';

describe('a confirmation', () => {
  const answering = (answer: string) => {
    const asked: string[] = [];
    return {
      asked,
      ask: (question: string) => {
        asked.push(question);
        return Promise.resolve(answer);
      },
    };
  };

  it.each(['y', 'Y', 'yes', ' YES '])('is given by "%s"', async (answer) => {
    const { ask, asked } = answering(answer);
    await confirm({ ask }, 'Revoke key_1.', undefined);
    expect(asked).toEqual(['Revoke key_1. This cannot be undone. Go on? [y/N] ']);
  });

  it.each(['', 'n', 'no', 'yep', 'yes please'])('is not given by "%s"', async (answer) => {
    await expect(confirm(answering(answer), 'Revoke key_1.', undefined)).rejects.toThrow(
      new CommandFailure('Nothing was changed.'),
    );
  });

  it('is not asked for with --yes, with or without a terminal', async () => {
    const { ask, asked } = answering('n');
    await confirm({ ask }, 'Revoke key_1.', true);
    await confirm({}, 'Revoke key_1.', true);
    expect(asked).toEqual([]);
  });

  it('is impossible without a terminal and without --yes', async () => {
    await expect(confirm({}, 'Revoke key_1.', undefined)).rejects.toThrow(UsageError);
  });
});

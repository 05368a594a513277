import { Turns } from '@farebox/flow';
import { LongAnswer } from './long-answer';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function givenAnswers(accounts: readonly string[]): { entered: string[]; answers: LongAnswer[] } {
  const turns = new Turns({ atOnce: 1 });
  const entered: string[] = [];
  const answers = accounts.map((account) => new LongAnswer(turns, account));
  answers.forEach((answer, i) => {
    void answer.enter().then(() => entered.push(`${accounts[i] ?? ''}${String(i)}`));
  });
  return { entered, answers };
}

it('gets a place when another leaves, in turn by account', async () => {
  const { entered, answers } = givenAnswers(['a', 'a', 'a', 'b']);
  await turn();
  expect(entered).toEqual(['a0']);
  for (const left of [0, 1, 3]) {
    answers[left]?.leave();
    await turn();
  }
  expect(entered).toEqual(['a0', 'a1', 'b3', 'a2']);
});

it('does not block others if its request ends before its turn', async () => {
  const { entered, answers } = givenAnswers(['a', 'b', 'c']);
  answers[1]?.leave();
  answers[0]?.leave();
  await turn();
  expect(entered).toContain('c2');
});

it('has one place however often it asks, as for a second route', async () => {
  const [answer] = givenAnswers(['a']).answers;
  await answer?.enter();
  await answer?.enter();
  answer?.leave();
  await expect(answer?.enter()).resolves.toBeUndefined();
});

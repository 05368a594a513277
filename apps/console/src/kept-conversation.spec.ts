import { boundTurns, dropKeptTurns, keepTurns, readTurns, updateKeptTurns } from './kept-conversation';
import type { Turn } from './turns';

const USAGE = { prompt_tokens: 1, completion_tokens: 2, cost: '0.000000003' };
const QUESTION: Turn = { role: 'user', content: 'Hi' };
const ANSWER: Turn = { role: 'assistant', content: 'Hello', model: 'm', usage: USAGE, finish: 'stop' };

const kept = new Map<string, string>();
let isFull = false;

beforeEach(() => {
  kept.clear();
  isFull = false;
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => {
        if (isFull) throw new Error('QuotaExceededError');
        kept.set(name, value);
      },
      removeItem: (name: string) => kept.delete(name),
    },
  });
});

it('gives an account its conversation back', () => {
  keepTurns('acct_1', [QUESTION, ANSWER]);
  expect(readTurns('acct_1')).toEqual([QUESTION, ANSWER]);
});

it('drops the conversation of another account', () => {
  keepTurns('acct_1', [QUESTION, ANSWER]);
  expect(readTurns('acct_2')).toEqual([]);
  expect(readTurns('acct_1')).toEqual([]);
});

it('says of an answer that was running that the page was closed', () => {
  keepTurns('acct_1', [QUESTION, { role: 'assistant', content: 'Hel' }]);
  expect(readTurns('acct_1')[1]).toEqual({
    role: 'assistant',
    content: 'Hel',
    end: 'The page was closed.',
  });
});

it('does not bring back a conversation that was dropped while an answer ran', () => {
  keepTurns('acct_1', [QUESTION]);
  updateKeptTurns('acct_1', [QUESTION, ANSWER]);
  expect(readTurns('acct_1')).toHaveLength(2);
  dropKeptTurns();
  updateKeptTurns('acct_1', [QUESTION, ANSWER]);
  expect(readTurns('acct_1')).toEqual([]);
});

it('ignores what is not a conversation', () => {
  for (const text of ['{', 'null', '{"accountId":"acct_1"}', '[]']) {
    kept.set('farebox.conversation', text);
    expect(readTurns('acct_1')).toEqual([]);
  }
});

it('keeps nothing rather than an older copy if the storage is full', () => {
  keepTurns('acct_1', [QUESTION]);
  isFull = true;
  keepTurns('acct_1', [QUESTION, ANSWER]);
  expect(readTurns('acct_1')).toEqual([]);
});

it('drops images first, then the oldest turns, and begins with a question', () => {
  const long = (role: Turn['role']): Turn => ({ role, content: 'x'.repeat(1_000) });
  const withImage: Turn = {
    ...QUESTION,
    attachments: [{ name: 'a.png', url: `data:image/png;base64,${'A'.repeat(5_000)}` }],
  };
  expect(boundTurns([withImage, ANSWER], 4_000)).toEqual([
    { ...QUESTION, attachments: [{ name: 'a.png' }] },
    ANSWER,
  ]);
  const turns = [long('user'), long('assistant'), long('user'), long('assistant')];
  expect(boundTurns(turns, 3_500)).toEqual(turns.slice(2));
  expect(boundTurns(turns, 10_000)).toEqual(turns);
});

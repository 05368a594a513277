import { isCut, toMessages, withoutData, type Turn } from './turns';

const answer = (fields: Partial<Turn>): Turn => ({ role: 'assistant', content: 'Half', ...fields });

it('sends texts as texts, and images and files as parts beside the text', () => {
  const turns: Turn[] = [
    {
      role: 'user',
      content: 'What is this?',
      attachments: [
        { name: 'cat.png', url: 'data:image/png;base64,AA==' },
        { name: 'bill.pdf', url: 'data:application/pdf;base64,AA==' },
        { name: 'no longer kept.png' },
      ],
    },
    answer({ content: 'A cat.', reasoning: 'Whiskers.', model: 'm' }),
    { role: 'user', content: 'Thanks' },
  ];
  expect(toMessages('Be brief.', turns)).toEqual([
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { type: 'file', file: { filename: 'bill.pdf', file_data: 'data:application/pdf;base64,AA==' } },
      ],
    },
    { role: 'assistant', content: 'A cat.' },
    { role: 'user', content: 'Thanks' },
  ]);
});

it('leaves out an answer of which nothing arrived', () => {
  const turns: Turn[] = [{ role: 'user', content: 'Hi' }, answer({ content: '', end: 'Stopped.' })];
  expect(toMessages('', turns)).toEqual([{ role: 'user', content: 'Hi' }]);
});

it.each([
  ['cut at the maximum', answer({ finish: 'length' }), true],
  ['broken off', answer({ end: 'The connection broke off.' }), true],
  ['whole', answer({ finish: 'stop' }), false],
  ['empty', answer({ content: '', end: 'Stopped.' }), false],
])('knows whether an answer that is %s can be continued', (_, turn, expected) => {
  expect(isCut(turn)).toBe(expected);
});

it('leaves the data of images out of what is only read', () => {
  const attachments = [{ name: 'cat.png', url: 'data:image/png;base64,AAAA' }, { name: 'gone.png' }];
  expect(withoutData([{ role: 'user', content: 'Hi', attachments }, answer({})])).toEqual([
    {
      role: 'user',
      content: 'Hi',
      attachments: [{ name: 'cat.png', url: 'data:image/png;base64,…' }, { name: 'gone.png' }],
    },
    answer({}),
  ]);
});

import { bringsToken } from './board';

const TOKEN = 'board-token-of-more-than-32-characters:with-colon';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('bringsToken', () => {
  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, basic(`ops:${TOKEN}`), basic(`:${TOKEN}`)])(
    'accepts it: %s',
    (authorization) => {
      expect(bringsToken(authorization, TOKEN)).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    TOKEN,
    'Bearer',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Token ${TOKEN}`,
    basic(TOKEN.replace(':', '')),
    basic(`${TOKEN}:`),
    basic('ops:'),
    'Basic !!!',
  ])('refuses %s', (authorization) => {
    expect(bringsToken(authorization, TOKEN)).toBe(false);
  });
});

import { readBearer } from './tokens';

describe('readBearer', () => {
  it.each([
    ['Bearer ak-1', 'ak-1'],
    ['bearer ak-1', 'ak-1'],
    ['BEARER   ak-1  ', 'ak-1'],
    // The form of a token is looked at later, when its kind is known.
    ["Bearer ak-1 ' OR 1=1", "ak-1 ' OR 1=1"],
  ])('reads %s', (authorization, token) => {
    expect(readBearer({ headers: { authorization } })).toEqual({ kind: 'token', token });
  });

  it('sees no credential', () => {
    expect(readBearer({ headers: {} })).toEqual({ kind: 'none' });
  });

  it.each([
    ['Basic YTpi', 'not_bearer'],
    ['ak-1', 'not_bearer'],
    ['Bearer\tak-1', 'not_bearer'],
    ['', 'not_bearer'],
    ['Bearer', 'empty'],
    ['Bearer  ', 'empty'],
  ])('does not take "%s"', (authorization, reason) => {
    expect(readBearer({ headers: { authorization } })).toEqual({ kind: 'malformed', reason });
  });

  it('refuses two headers, whichever Node kept', () => {
    expect(
      readBearer({
        headers: { authorization: 'Bearer ak-1' },
        rawHeaders: ['Authorization', 'Bearer ak-1', 'Host', 'x', 'authorization', 'Bearer ak-2'],
      }),
    ).toEqual({ kind: 'malformed', reason: 'sent_twice' });
  });

  it('does not mistake a value for a name', () => {
    expect(
      readBearer({
        headers: { authorization: 'Bearer ak-1' },
        rawHeaders: ['X-Note', 'authorization', 'Authorization', 'Bearer ak-1'],
      }).kind,
    ).toBe('token');
  });
});

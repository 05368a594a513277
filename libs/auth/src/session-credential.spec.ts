import { readSessionCredential } from './tokens';

const read = (authorization?: string, cookie?: string) =>
  readSessionCredential({
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(cookie === undefined ? {} : { cookie }),
    },
  });

describe('readSessionCredential', () => {
  it('takes a bearer', () => {
    expect(read('Bearer st-1')).toEqual({ kind: 'session', token: 'st-1', source: 'bearer' });
  });

  it('takes the cookie among others', () => {
    expect(read(undefined, 'theme=dark; service_token=st-1; lang=en')).toEqual({
      kind: 'session',
      token: 'st-1',
      source: 'cookie',
    });
  });

  it('takes the bearer where both say the same', () => {
    expect(read('Bearer st-1', 'service_token=st-1')).toMatchObject({ token: 'st-1', source: 'bearer' });
  });

  it('finds nothing in an empty cookie, in one of another name, and without any', () => {
    expect(read()).toEqual({ kind: 'none' });
    expect(read(undefined, 'service_token=')).toEqual({ kind: 'none' });
    expect(read(undefined, 'xservice_token=st-1; SERVICE_TOKEN=st-1')).toEqual({ kind: 'none' });
  });

  it.each(['Bearer ak-1', 'Basic YTpi', 'Bearer', 'st-1'])(
    'refuses %s, with and without a cookie',
    (authorization) => {
      expect(read(authorization)).toEqual({ kind: 'wrong' });
      expect(read(authorization, 'service_token=st-1')).toEqual({ kind: 'wrong' });
    },
  );

  it('does not choose between two that disagree', () => {
    expect(read('Bearer st-1', 'service_token=st-2')).toEqual({ kind: 'conflict' });
    expect(read(undefined, 'service_token=st-1; service_token=st-2')).toEqual({ kind: 'conflict' });
    expect(
      readSessionCredential({
        headers: { authorization: 'Bearer st-1' },
        rawHeaders: ['authorization', 'Bearer st-1', 'authorization', 'Bearer st-2'],
      }),
    ).toEqual({ kind: 'conflict' });
  });
});

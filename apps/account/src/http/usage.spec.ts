import { nextLink } from './usage';

describe('nextLink', () => {
  it('continues after the last record', () => {
    expect(nextLink('/v1/usage', {}, 'chatcmpl-1')).toBe('</v1/usage?after=chatcmpl-1>; rel="next"');
  });

  it('keeps the other parameters, and replaces the cursor', () => {
    const query = { limit: '2', after: 'chatcmpl-0', start: '2026-11-01T00:00:00+01:00' };
    expect(nextLink('/v1/usage', query, 'chatcmpl-1')).toBe(
      '</v1/usage?limit=2&start=2026-11-01T00%3A00%3A00%2B01%3A00&after=chatcmpl-1>; rel="next"',
    );
  });

  it('cannot be broken by the value of a parameter', () => {
    expect(nextLink('/v1/usage', { model: '>; rel="x"\r\n' }, 'c')).toBe(
      '</v1/usage?model=%3E%3B+rel%3D%22x%22%0D%0A&after=c>; rel="next"',
    );
  });
});

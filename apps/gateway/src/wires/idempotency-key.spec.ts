import { ApiError } from '@farebox/errors';
import { fingerprintOf, readIdempotencyKey } from './paid-endpoint';

describe('an Idempotency-Key', () => {
  it('is undefined without the header', () => {
    expect(readIdempotencyKey({})).toBeUndefined();
  });

  it.each(['a', 'a b', '~', '"quoted", \\ and all', 'NULL', 'x'.repeat(255)])('may be %j', (key) => {
    expect(readIdempotencyKey({ 'idempotency-key': key })).toBe(key);
  });

  it.each([
    ['empty', ''],
    ['256 characters long', 'x'.repeat(256)],
    ['of another alphabet', 'ключ'],
    ['of Latin-1', 'clé'],
    ['cut by a tab', 'a\tb'],
    ['cut by a line', 'a\nb'],
    ['ended by a line', 'a\n'],
    ['of a control character', '\x7f'],
  ])('that is %s is refused under its name', (_name, key) => {
    const refusal = expect.objectContaining({
      code: 'invalid_request_error',
      param: 'Idempotency-Key',
    }) as ApiError;
    expect(() => readIdempotencyKey({ 'idempotency-key': key })).toThrow(refusal);
  });

  it('that came as a list is refused', () => {
    expect(() => readIdempotencyKey({ 'idempotency-key': ['a', 'b'] })).toThrow(ApiError);
  });
});

describe('a fingerprint', () => {
  const request = { method: 'POST', path: '/v1/chat/completions', body: Buffer.from('{"model":"a"}') };

  it('is the same only for the same request', () => {
    const fingerprint = fingerprintOf(request);
    expect(fingerprint).toHaveLength(32);
    expect(fingerprintOf({ ...request, body: Buffer.from('{"model":"a"}') })).toEqual(fingerprint);
    const others = [
      { ...request, method: 'PUT' },
      { ...request, path: '/v1/chat' },
      { ...request, body: Buffer.from('{"model": "a"}') },
      { ...request, body: Buffer.alloc(0) },
    ];
    for (const other of others) expect(fingerprintOf(other)).not.toEqual(fingerprint);
  });
});

import { toErrorRecord } from './error-record';

describe('toErrorRecord', () => {
  it('keeps name, code, message, frames and causes', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' });
    const record = toErrorRecord(new TypeError('no hold', { cause }));
    expect(record).toMatchObject({
      name: 'TypeError',
      message: 'no hold',
      stack: expect.stringMatching(/^ {4}at /) as unknown,
      cause: { name: 'Error', code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 10.0.0.7:5432' },
    });
  });

  it('keeps nothing else that a driver hangs on its errors', () => {
    const driverError = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (email)=(ada@example.com) already exists.',
      query: 'insert into account …',
      parameters: ['canary'],
      request: { headers: { authorization: 'canary' } },
    });
    expect(Object.keys(toErrorRecord(driverError)).sort()).toEqual(['code', 'message', 'name', 'stack']);
  });

  it('does not repeat the message in the stack', () => {
    const error = new Error('a customer wrote this\nand this');
    expect(toErrorRecord(error).stack).not.toContain('wrote');
  });

  it('shows the first of several errors', () => {
    const several = new AggregateError([new Error('refused over IPv6'), new Error('over IPv4')], '');
    expect(toErrorRecord(several).cause?.message).toBe('refused over IPv6');
  });

  it('stops at four causes, also where they go round', () => {
    const round = new Error('round');
    round.cause = round;
    const depth = (record: ReturnType<typeof toErrorRecord> | undefined): number =>
      record ? 1 + depth(record.cause) : 0;
    expect(depth(toErrorRecord(round))).toBe(5);
  });

  it.each([
    ['a string with Bearer abc', { name: 'string', message: 'a string with Bearer [secret]' }],
    [{ prompt: 'canary' }, { name: 'object' }],
    [null, { name: 'null' }],
    [42, { name: 'number' }],
  ])('shows of %j no more than that', (thrown, expected) => {
    expect(toErrorRecord(thrown)).toEqual(expected);
  });

  it('survives an error that cannot be read', () => {
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(toErrorRecord(hostile)).toEqual({ name: 'unreadable' });
  });
});

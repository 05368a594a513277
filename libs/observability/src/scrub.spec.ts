import fc from 'fast-check';
import { scrub, toErrorRecord } from './scrub';

const clean = (text: string): string => scrub(text, 1_000);

describe('scrub', () => {
  it.each([
    ['key ak-7Hq2LmX9 is bad', 'key [secret] is bad'],
    ['session=st-a_b-c-d1;', 'session=[secret];'],
    [
      '550 <https://farebox.example/auth/links/lt-a_b-c-d1>',
      '550 <https://farebox.example/auth/links/[secret]>',
    ],
    ['Incorrect API key: sk-proj-abc_DEF.', 'Incorrect API key: [secret]'],
    ['{"authorization":"Bearer ey.J0.x"}', '{"authorization":"Bearer [secret]'],
    ['bearer   abc', 'bearer   [secret]'],
    ['connect postgres://farebox:hunter2@db:5432/x', 'connect postgres://[secret]@db:5432/x'],
    ['redis://:p@ss/w:rd@cache', 'redis://[secret]@cache'],
    ['host=db password=hunter2 user=x', 'host=db password=[secret] user=x'],
    ['{"password": "hunter2"}', '{"password": [secret]'],
    [`pepper 1:${'0f'.repeat(32)} is short`, 'pepper 1:[secret] is short'],
    ['Unexpected token \'T\', "Tell me\na secret" is not valid JSON', 'The text is not valid JSON'],
  ])('%j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    'the task-list of at-least-once delivery',
    'req_01jd0000000000000000000000',
    '3f0e8c1a-0b7e-7c3d-9a51-d1c2b3a4f5e6',
    'http://127.0.0.1:8090/v1/models',
    'connect ECONNREFUSED 127.0.0.1:5432',
  ])('leaves %j alone', (text) => {
    expect(clean(text)).toBe(text);
  });

  it('finds a key anywhere in a text', () => {
    const around = fc.string({ unit: fc.constantFrom(' ', '/', '"', '=', ':', '_', '-', '.', '\n', 'é') });
    const body = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_'), minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(
        around,
        fc.constantFrom('ak-', 'st-', 'sk-'),
        body,
        around,
        (before, prefix, key, after) => {
          expect(clean(`${before}${prefix}${key}${after}`)).not.toContain(key.slice(4));
        },
      ),
    );
  });

  it('leaves no part of a secret at the cut of a long text', () => {
    for (let length = 4_040; length < 4_110; length += 1) {
      const text = `${'x'.repeat(length)} postgres://user:hunter2hunter2@db`;
      expect(clean(text)).not.toContain('hunter');
      expect(scrub(text, 10_000)).not.toContain('hunter');
    }
  });

  it('cuts to the requested length', () => {
    expect(scrub('x'.repeat(300), 256)).toBe(`${'x'.repeat(256)}…`);
  });

  it('takes linear time on a hostile text', () => {
    const hostile = [
      '://'.repeat(400_000),
      'bearer '.repeat(200_000),
      'ak-'.repeat(400_000),
      ' '.repeat(1_000_000),
    ];
    for (const text of hostile) expect(clean(text).length).toBeLessThanOrEqual(1_001);
  });
});

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

  it('drops other fields that a driver adds to its errors', () => {
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

  it('keeps the first of several errors', () => {
    const several = new AggregateError([new Error('refused over IPv6'), new Error('over IPv4')], '');
    expect(toErrorRecord(several).cause?.message).toBe('refused over IPv6');
  });

  it('stops at four causes, even in a cycle', () => {
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
  ])('keeps no more of %j than that', (thrown, expected) => {
    expect(toErrorRecord(thrown)).toEqual(expected);
  });

  it('survives an error whose properties throw', () => {
    const hostile = new Error('x');
    Object.defineProperty(hostile, 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    expect(toErrorRecord(hostile)).toEqual({ name: 'unreadable' });
  });
});

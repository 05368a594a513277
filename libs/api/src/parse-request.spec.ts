import { ApiError } from '@farebox/errors';
import { z } from 'zod';
import { parseBody, parseQuery } from './describe-issue';

const schema = z.strictObject({
  model: z.string(),
  size: z.int('must be a whole number').optional(),
  messages: z.array(
    z.union([
      z.strictObject({ role: z.literal('user'), content: z.string() }),
      z.strictObject({ role: z.literal('tool'), parts: z.array(z.strictObject({ text: z.string() })) }),
    ]),
  ),
});
const good = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };

function refusalOf(parse: () => unknown): { param: string | null; message: string } {
  try {
    parse();
  } catch (error) {
    if (error instanceof ApiError) {
      expect(error.code).toBe('invalid_request_error');
      expect(error.status).toBe(400);
      return { param: error.param, message: error.publicMessage };
    }
  }
  throw new Error('not refused');
}

describe('parseBody', () => {
  it('returns the body parsed by the schema', () => {
    expect(parseBody(schema, good)).toEqual(good);
  });

  it.each<[string, unknown, string | null, string]>([
    ['a missing field', { messages: [] }, 'model', "'model' is required."],
    ['a field of another type', { ...good, size: 'big' }, 'size', "'size' must be a whole number."],
    ['an unknown field', { ...good, stram: true }, 'stram', "The field 'stram' is not known."],
    [
      'an unknown field deep inside',
      { ...good, messages: [{ role: 'user', content: '', x: 1 }] },
      'messages[0].x',
      "The field 'messages[0].x' is not known.",
    ],
    [
      'the alternative of a union that was meant',
      { ...good, messages: [good.messages[0], { role: 'tool', parts: [{ text: 1 }] }] },
      'messages[1].parts[0].text',
      "'messages[1].parts[0].text' must be a string, not a number.",
    ],
    ['a text', 'text', null, 'The request body must be an object, not a string.'],
    ['null', null, null, 'The request body must be an object, not null.'],
    ['an array', [], null, 'The request body must be an object, not an array.'],
  ])('refuses %s', (_, body, param, message) => {
    expect(refusalOf(() => parseBody(schema, body))).toEqual({ param, message });
  });

  it('refuses __proto__ as an unknown field, and stays unharmed', () => {
    const body = JSON.parse('{"model":"m","messages":[],"__proto__":{"polluted":true}}') as unknown;
    expect(refusalOf(() => parseBody(schema, body)).param).toBe('__proto__');
    expect('polluted' in {}).toBe(false);
  });

  it('does not send a huge field name back', () => {
    const { param, message } = refusalOf(() => parseBody(schema, { ...good, ['x'.repeat(100_000)]: 1 }));
    expect(param).toHaveLength(201);
    expect(message.length).toBeLessThan(300);
  });
});

describe('parseQuery', () => {
  const query = z.strictObject({ limit: z.string().optional() });

  it('refuses a repeated parameter', () => {
    expect(refusalOf(() => parseQuery(query, { limit: ['1', '2'] }))).toEqual({
      param: 'limit',
      message: "'limit' may be given once only.",
    });
  });

  it('refuses an unknown parameter', () => {
    expect(refusalOf(() => parseQuery(query, { 'limit[]': '1' })).param).toBe('limit[]');
  });
});

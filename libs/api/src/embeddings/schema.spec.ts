import { ApiError } from '@farebox/errors';
import { parseBody } from '../describe-issue';
import { embeddingsRequest, findUnknownEmbeddingsFields } from './schema';

const ASKED = { model: 'embed', input: 'Hello' };

function refusalOf(fields: object): string {
  try {
    parseBody(embeddingsRequest, { ...ASKED, ...fields });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([error.code, error.status]).toEqual(['invalid_request_error', 400]);
    return error.publicMessage;
  }
  return 'accepted';
}

describe('a request for embeddings', () => {
  it.each<[string, object]>([
    ['a text', {}],
    ['texts', { input: ['Hello', 'there'] }],
    ['tokens', { input: [1, 2, 0] }],
    ['lists of tokens', { input: [[1], [2, 3]] }],
    ['as many inputs as may be', { input: Array<string>(2_048).fill('x') }],
    ['more tokens than inputs', { input: Array<number>(5_000).fill(7) }],
    ['no value for optional fields', { encoding_format: null, dimensions: null, user: null }],
    ['every field', { encoding_format: 'base64', dimensions: 256, user: 'someone' }],
  ])('takes %s', (_what, fields) => {
    expect(refusalOf(fields)).toBe('accepted');
  });

  it.each<[string, object, string]>([
    ['without an input', { input: undefined }, "'input' is required."],
    [
      'null',
      { input: null },
      "'input' must be a text, a list of texts, a list of tokens or a list of lists of tokens.",
    ],
    [
      'objects',
      { input: [{ text: 'x' }] },
      "'input' must be a text, a list of texts, a list of tokens or a list of lists of tokens.",
    ],
    ['an empty text', { input: '' }, "'input' must not be empty."],
    ['an empty list', { input: [] }, "'input' must not be empty."],
    ['an empty text among others', { input: ['x', ''] }, "'input[1]' must not be empty."],
    ['an empty list of tokens', { input: [[1], []] }, "'input[1]' must not be empty."],
    ['a number among texts', { input: ['x', 1] }, "'input[1]' must be a text, as the first entry is."],
    [
      'a text among lists of tokens',
      { input: [[1], 'x'] },
      "'input[1]' must be a list of tokens, as the first entry is.",
    ],
    [
      'a fraction',
      { input: [[1, 1.5]] },
      "'input[0][1]' must be a token: a whole number from 0 to 2147483647.",
    ],
    ['less than none', { input: [-1] }, "'input[0]' must be a token: a whole number from 0 to 2147483647."],
    ['too many inputs', { input: Array<string>(2_049).fill('x') }, "'input' must have at most 2048 entries."],
    ['another format', { encoding_format: 'int8' }, '\'encoding_format\' must be one of "float", "base64".'],
    ['no dimensions', { dimensions: 0 }, "'dimensions' must be at least 1."],
  ])('refuses %s', (_what, fields, message) => {
    expect(refusalOf(fields)).toBe(message);
  });

  it('names its dropped fields', () => {
    const body = { ...ASKED, input_type: 'query', input: ['a', 'b'] };
    const { own, inner } = findUnknownEmbeddingsFields(body, parseBody(embeddingsRequest, body));
    expect([...own.keys()]).toEqual(['input_type']);
    expect(inner).toEqual([]);
  });
});

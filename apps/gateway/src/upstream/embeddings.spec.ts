import { turnsBeside } from '@farebox/testing';
import { readEmbeddings, readLongEmbeddings, type EmbeddingsAnswer } from './embeddings';
import { UpstreamFailure } from './failure';

const base64Of = (numbers: readonly number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
const entry = (index: unknown, embedding: unknown): object => ({ object: 'embedding', index, embedding });
const bodyOf = (
  data: readonly object[],
  more: object = { usage: { prompt_tokens: 5, total_tokens: 5 } },
): Buffer => Buffer.from(JSON.stringify({ object: 'list', data, model: 'theirs', ...more }));

type Asked = Parameters<typeof readEmbeddings>[1];
const TWO: Asked = { inputs: 2, format: 'float' };

/** The result of both readers, which must agree. */
async function read(body: Buffer, asked: Asked = TWO): Promise<EmbeddingsAnswer> {
  const [short, long] = [readEmbeddings(body, asked), await readLongEmbeddings(body, asked)];
  const parsed = ({ vectors, ...rest }: EmbeddingsAnswer) => ({
    ...rest,
    vectors: vectors.map((json): unknown => JSON.parse(json.toString())),
  });
  expect(parsed(long)).toEqual(parsed(short));
  return long;
}

async function isRefused(body: Buffer, asked: Asked = TWO): Promise<boolean> {
  expect(() => readEmbeddings(body, asked)).toThrow();
  await expect(readLongEmbeddings(body, asked)).rejects.toThrow();
  return true;
}

const numbersOf = ({ vectors }: EmbeddingsAnswer): unknown[] =>
  vectors.map((json): unknown => JSON.parse(json.toString()));

/** Long enough to be cut out of the surrounding text. */
const LONG = Array.from({ length: 300 }, (_, i) => (i - 150) / 16);

describe('embeddings of an upstream', () => {
  it('are put in the order of the inputs', async () => {
    const answer = await read(bodyOf([entry(1, [3, 4]), entry(0, [1, -2.5e-3])]));
    expect(numbersOf(answer)).toEqual([
      [1, -0.0025],
      [3, 4],
    ]);
    expect(answer).toMatchObject({ dimensions: 2, usage: { promptTokens: 5, completionTokens: 0 } });
  });

  it('are read in their order if they name no input', async () => {
    const data = [{ embedding: [1] }, { embedding: [2] }];
    expect(numbersOf(await read(bodyOf(data)))).toEqual([[1], [2]]);
  });

  it.each([
    ['numbers', LONG],
    ['base64', base64Of(LONG)],
  ])('are returned in the requested format if they come as %s', async (_how, embedding) => {
    const body = bodyOf([entry(0, embedding), entry(1, embedding)]);
    expect(numbersOf(await read(body))).toEqual([LONG, LONG]);
    expect(numbersOf(await read(body, { inputs: 2, format: 'base64' }))).toEqual([
      base64Of(LONG),
      base64Of(LONG),
    ]);
  });

  it('are passed on as precise numbers', async () => {
    const precise = Array.from({ length: 100 }, (_, i) => Math.sin(i + 1));
    expect(numbersOf(await read(bodyOf([entry(0, precise)]), { inputs: 1, format: 'float' }))).toEqual([
      precise,
    ]);
  });

  it('are read with white space wherever JSON allows it', async () => {
    const text = JSON.stringify(JSON.parse(bodyOf([entry(0, LONG), entry(1, LONG)]).toString()), null, 4);
    expect(numbersOf(await read(Buffer.from(text)))).toEqual([LONG, LONG]);
  });

  it('have their usage read under any of its names', async () => {
    const data = [entry(0, [1]), entry(1, [1])];
    const tokensOf = async (said: unknown) => {
      const { usage } = await read(bodyOf(data, { usage: said }));
      return typeof usage === 'object' ? usage.promptTokens : usage;
    };
    expect(await tokensOf({ prompt_tokens: 7, total_tokens: 9 })).toBe(7);
    expect(await tokensOf({ total_tokens: 9 })).toBe(9);
    expect(await tokensOf({ prompt_tokens: 0, total_tokens: 9 })).toBe(9);
    expect(await tokensOf(undefined)).toBeUndefined();
    expect(await tokensOf({})).toBeUndefined();
    for (const odd of [-1, 1.5, '7', 2 ** 31])
      expect(await tokensOf({ prompt_tokens: odd })).toBe('unreadable');
  });

  it.each<[string, object[]]>([
    ['too few', [entry(0, [1])]],
    ['too many', [entry(0, [1]), entry(1, [1]), entry(2, [1])]],
    ['two of one input', [entry(0, [1]), entry(0, [1])]],
    ['one of no input', [entry(0, [1]), entry(2, [1])]],
    ['an invalid index', [entry(0, [1]), entry('1', [1])]],
    ['an empty one', [entry(0, []), entry(1, [])]],
    ['one that is missing', [entry(0, [1]), entry(1, undefined)]],
    ['different lengths', [entry(0, [1]), entry(1, [1, 2])]],
    ['different lengths of long ones', [entry(0, LONG), entry(1, LONG.slice(1))]],
    ['a text among the numbers', [entry(0, [1, '2']), entry(1, [1, 2])]],
    ['a text among many numbers', [entry(0, [...LONG, 'x']), entry(1, [...LONG, 1])]],
    ['a list in a list', [entry(0, [LONG]), entry(1, [LONG])]],
    ['null among the numbers', [entry(0, [1, null]), entry(1, [1, 2])]],
    ['no base64', [entry(0, 'not base64!'), entry(1, base64Of([1]))]],
    ['half a number', [entry(0, base64Of([1]).slice(0, 4)), entry(1, base64Of([1]).slice(0, 4))]],
    ['an invalid number in base64', [entry(0, base64Of([Number.NaN])), entry(1, base64Of([1]))]],
    ['an endless one, in base64', [entry(0, base64Of([Infinity])), entry(1, base64Of([1]))]],
  ])('are rejected with %s', async (_what, data) => {
    expect(await isRefused(bodyOf(data))).toBe(true);
  });

  it.each([
    ['no JSON', '{"data":['],
    ['a page', '<html>'],
    ['a list', '[]'],
    ['nothing', 'null'],
    ['no data', '{}'],
    ['a number that is too large', `{"data":[{"embedding":[1e400]},{"embedding":[1]}]}`],
    ['a long list that has no end', `{"data":[{"embedding":[${LONG.join(',')}`],
    [
      'numbers without commas',
      `{"data":[{"embedding":[${LONG.join(' ')}]},{"embedding":[${LONG.join(' ')}]}]}`,
    ],
  ])('are rejected if the body is %s', async (_what, text) => {
    expect(await isRefused(Buffer.from(text))).toBe(true);
  });

  it('are rejected as numbers too large for base64', async () => {
    const body = bodyOf([entry(0, [1e300]), entry(1, [1])]);
    expect(numbersOf(await read(body))).toEqual([[1e300], [1]]);
    expect(await isRefused(body, { inputs: 2, format: 'base64' })).toBe(true);
  });

  it('are an error of the upstream if it reports one', () => {
    expect(() => readEmbeddings(Buffer.from('{"error":{"message":"x"}}'), TWO)).toThrow(UpstreamFailure);
  });

  it('are read in turns if they are long', async () => {
    const vector = Array.from({ length: 1_024 }, (_, i) => Math.sin(i + 1));
    const body = bodyOf(Array.from({ length: 100 }, (_, i) => entry(i, vector)));
    const { turns } = await turnsBeside(() => readLongEmbeddings(body, { inputs: 100, format: 'base64' }));
    // At least one turn for each quarter of a megabyte.
    expect(turns).toBeGreaterThanOrEqual(Math.floor(body.length / (256 * 1_024)));
  });

  it('are not searched repeatedly for a missing end', async () => {
    const found = jest.spyOn(Buffer.prototype, 'indexOf');
    const text = `{"data":${'[1'.repeat(100_000)}`;
    await expect(readLongEmbeddings(Buffer.from(text), TWO)).rejects.toThrow();
    const searches = found.mock.calls.filter(([wanted]) => wanted === 0x5d).length;
    found.mockRestore();
    expect(searches).toBe(1);
  });
});

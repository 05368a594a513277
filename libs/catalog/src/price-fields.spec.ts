import { z } from 'zod';
import { fromStoredPrice, priceFields, toPrice, toPriceTexts, toStoredPrice } from './price-fields';

const entry = z.strictObject(priceFields);
const written = {
  input_price: '2.5',
  output_price: '10',
  cached_input_price: '0.25',
  cache_write_price: '3.125',
  reasoning_price: '12',
  image_price: '0.002',
  request_price: '0.000000001',
  price_steps: [
    { above_prompt_tokens: '200000', input_price: '5', output_price: '15' },
    { above_prompt_tokens: '400000', input_price: '7', output_price: '20', reasoning_price: '21' },
  ],
};

const problemsOf = (fields: object): string[] =>
  entry.safeParse(fields).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

describe('prices', () => {
  const price = toPrice(entry.parse(written));

  it('are read to the last decimal place', () => {
    expect(price).toMatchObject({
      inputPricePico: 2_500_000n,
      cachedInputPricePico: 250_000n,
      cacheWritePricePico: 3_125_000n,
      imagePricePico: 2_000_000_000n,
      requestPricePico: 1_000n,
      steps: [
        { abovePromptTokens: 200_000, outputPricePico: 15_000_000n },
        { abovePromptTokens: 400_000, reasoningPricePico: 21_000_000n },
      ],
    });
  });

  it('survive a round trip through storage', () => {
    const stored: unknown = JSON.parse(JSON.stringify(toStoredPrice(price)));
    expect(toStoredPrice(fromStoredPrice(stored))).toEqual(stored);
    expect(fromStoredPrice(stored)).toEqual(price);
    const plain = toPrice(entry.parse({ input_price: '1', output_price: '2' }));
    expect(toStoredPrice(plain)).toEqual({ inputPricePico: '1000000', outputPricePico: '2000000' });
  });

  it('are printed in the form that the file accepts', () => {
    expect(toPriceTexts(price)).toEqual({
      ...written,
      price_steps:
        'above 200000: input_price 5, output_price 15; ' +
        'above 400000: input_price 7, output_price 20, reasoning_price 21',
    });
    expect(toPriceTexts(toPrice(entry.parse({ input_price: '0', output_price: '0.60' })))).toEqual({
      input_price: '0',
      output_price: '0.6',
    });
  });

  it.each([
    [{ input_price: '1e-1' }, 'input_price: must be dollars per million tokens'],
    [{ image_price: '-1' }, 'image_price: must be dollars with at most nine decimal places'],
    [{ request_price: '0.0000000001' }, 'request_price: must be dollars with at most nine'],
    [{ price_steps: [...written.price_steps].reverse() }, 'price_steps: must go from the shortest'],
    [
      { price_steps: [{ ...written.price_steps[0], above_prompt_tokens: '0' }] },
      'above_prompt_tokens: must be',
    ],
  ])('are refused with a clear message: %j', (wrong, problem) => {
    expect(problemsOf({ ...written, ...wrong }).join()).toContain(problem);
  });
});

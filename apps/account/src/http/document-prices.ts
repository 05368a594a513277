import type { InvoiceRecord } from '@farebox/api';
import { SECOND_MS } from '@farebox/flow';
import { shownAmount } from './shown-amount';

type Line = InvoiceRecord['lines'][number];
type Prices = Line['prices'][number];
type TokenPrices = Omit<Prices, 'image' | 'request' | 'steps' | 'currency' | 'unit' | 'starts_at'>;

/** The names of the prices, in the order of the columns. */
const NAMES: Readonly<Record<keyof TokenPrices, string>> = {
  input: 'prompt',
  output: 'completion',
  cached_input: 'cached',
  cache_write: 'cache writes',
  reasoning: 'reasoning',
};

function ofTokens(prices: TokenPrices): string {
  return (Object.entries(NAMES) as [keyof TokenPrices, string][])
    .flatMap(([key, name]) => {
      const price = prices[key];
      return price === undefined ? [] : [`${shownAmount(price)} ${name}`];
    })
    .join(', ');
}

function toLines({ image, request, steps = [], starts_at: startsAt, ...tokens }: Prices, isFirst: boolean) {
  const since = new Date(startsAt * SECOND_MS).toISOString().slice(0, 10);
  const rest = [
    ...(image === undefined ? [] : [`${shownAmount(image)} an image`]),
    ...(request === undefined ? [] : [`${shownAmount(request)} a request`]),
  ];
  return [
    (isFirst ? '' : `from ${since}: `) + [ofTokens(tokens), ...rest].join('; '),
    ...steps.map(
      ({ above_prompt_tokens: above, ...step }) =>
        `above ${above.toLocaleString('en-US')} prompt tokens: ${ofTokens(step)}`,
    ),
  ];
}

/** The prices of a line in the month, in lines: those after the first with the day from which they applied. */
export function pricesOfLine({ prices }: Pick<Line, 'prices'>): string {
  return prices.flatMap((price, i) => toLines(price, i === 0)).join('\n');
}

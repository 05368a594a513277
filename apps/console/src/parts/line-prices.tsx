import { Box } from '@mantine/core';
import type { Invoice } from '../api';
import { toCount, toDay, toDollars } from '../format';

type PricesOfMonth = Invoice['lines'][number]['prices'];
type Price = PricesOfMonth[number];

const NAMES = [
  ['input', 'prompt'],
  ['output', 'completion'],
  ['cached_input', 'cached'],
  ['cache_write', 'cache writes'],
  ['reasoning', 'reasoning'],
] as const;

const ofTokens = (prices: Pick<Price, (typeof NAMES)[number][0]>): string =>
  NAMES.flatMap(([key, name]) => {
    const price = prices[key];
    return price === undefined ? [] : [`${toDollars(price)} ${name}`];
  }).join(', ');

const linesOf = (price: Price, isFirst: boolean): string[] => [
  (isFirst ? '' : `from ${toDay(price.starts_at)}: `) +
    [
      ofTokens(price),
      ...(price.image === undefined ? [] : [`${toDollars(price.image)} an image`]),
      ...(price.request === undefined ? [] : [`${toDollars(price.request)} a request`]),
    ].join('; '),
  ...(price.steps ?? []).map(
    (step) => `above ${toCount(step.above_prompt_tokens)} prompt tokens: ${ofTokens(step)}`,
  ),
];

/** The prices of a model in a month, in lines: those after the first with the day from which they applied. */
export function Prices({ prices }: { prices: PricesOfMonth }) {
  if (prices.length === 0) return '–';
  return (
    <Box component="span" style={{ whiteSpace: 'pre-line' }}>
      {prices.flatMap((price, i) => linesOf(price, i === 0)).join('\n')}
    </Box>
  );
}

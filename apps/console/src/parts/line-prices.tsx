import { Box } from '@mantine/core';
import type { Invoice } from '../api';
import { toCount, toDay, toDollars } from '@farebox/ui/format';
import { t } from '@farebox/ui/language';

type PricesOfMonth = Invoice['lines'][number]['prices'];
type Price = PricesOfMonth[number];

const NAMES = [
  ['input', '{price} prompt'],
  ['output', '{price} completion'],
  ['cached_input', '{price} cached'],
  ['cache_write', '{price} cache writes'],
  ['reasoning', '{price} reasoning'],
] as const;

const ofTokens = (prices: Pick<Price, (typeof NAMES)[number][0]>): string =>
  NAMES.flatMap(([key, text]) => {
    const price = prices[key];
    return price === undefined ? [] : [t(text, { price: toDollars(price) })];
  }).join(', ');

function linesOf(price: Price, isFirst: boolean): string[] {
  const prices = [
    ofTokens(price),
    ...(price.image === undefined ? [] : [t('{price} per image', { price: toDollars(price.image) })]),
    ...(price.request === undefined ? [] : [t('{price} per request', { price: toDollars(price.request) })]),
  ].join('; ');
  return [
    isFirst ? prices : t('from {day}: {prices}', { day: toDay(price.starts_at), prices }),
    ...(price.steps ?? []).map((step) =>
      t('above {count} prompt tokens: {prices}', {
        ...{ count: toCount(step.above_prompt_tokens), prices: ofTokens(step) },
      }),
    ),
  ];
}

/** The prices of a model in a month, in lines: those after the first with the day from which they applied. */
export function Prices({ prices }: { prices: PricesOfMonth }) {
  if (prices.length === 0) return '–';
  return (
    <Box component="span" style={{ whiteSpace: 'pre-line' }}>
      {prices.flatMap((price, i) => linesOf(price, i === 0)).join('\n')}
    </Box>
  );
}

import { toPicoUsd, toUsdPerMillionTokens, type PicoUsd } from '@farebox/money';
import type { Catalog, CatalogSnapshot, ModelDefinition, Route } from './catalog';
import { KIND_PRICES, pricesAt, type Price } from './price';
import { PIECE_PRICES, TOKEN_PRICES, toDollars } from './price-fields';

type PricedModel = ModelDefinition & { price: Price };

/** A price that moves by more than a quarter is rarely meant. */
const USUAL_SHARE = 4n;

/**
 * The prices of a catalogue that an operator should confirm before they are charged, one sentence each: those that
 * move by more than a quarter, and those below the cost of a route, unless they were before.
 */
export function priceWarnings(current: CatalogSnapshot, wanted: Catalog): string[] {
  return wanted.models.flatMap((model) => {
    if (model.visibility.to === 'disabled') return [];
    const before = current.models.get(model.id);
    const known = new Set(before ? lossesOf(before) : []);
    const losses = lossesOf(model).filter((loss) => !known.has(loss));
    return [...(before ? movesOf(before, model) : []), ...losses];
  });
}

function movesOf(before: PricedModel, { id, price }: PricedModel): string[] {
  return comparedPrices(before.price, price).flatMap(({ name, prices: [from, to], toText }) => {
    const moved = to > from ? to - from : from - to;
    if (moved * USUAL_SHARE <= from) return [];
    return [`${id}: ${name} goes from ${toText(from)} to ${toText(to)}.`];
  });
}

function lossesOf({ id, price, routes }: PricedModel): string[] {
  return routes.flatMap((route) =>
    comparedPrices(price, route.cost ?? price).flatMap(({ name, prices: [sold, cost], toText }) =>
      sold < cost
        ? [`${id}: ${name} ${toText(sold)} is below the cost of ${nameOf(route)}, ${toText(cost)}.`]
        : [],
    ),
  );
}

const nameOf = ({ upstreamId, upstreamModel }: Route): string => `${upstreamId}/${upstreamModel}`;

interface Compared {
  /** As in the file, with the length of the prompts that it is for. */
  name: string;
  prices: [PicoUsd, PicoUsd];
  toText: (pricePico: PicoUsd) => string;
}

/** Pairs of prices of the same thing, at every length of prompt at which one of them begins. */
function comparedPrices(one: Price, other: Price): Compared[] {
  const steps = [...(one.steps ?? []), ...(other.steps ?? [])].map((step) => step.abovePromptTokens);
  const lengths = [0, ...[...new Set(steps)].sort((a, b) => a - b)];
  return [
    ...lengths.flatMap((above) =>
      comparedTokenPrices(pricesAt(one, above + 1), pricesAt(other, above + 1), above),
    ),
    ...PIECE_PRICES.flatMap(([name, key]): Compared[] =>
      one[key] === undefined && other[key] === undefined
        ? []
        : [{ name, prices: [one[key] ?? FREE, other[key] ?? FREE], toText: toDollars }],
    ),
  ];
}

function comparedTokenPrices(one: Price, other: Price, above: number): Compared[] {
  return TOKEN_PRICES.flatMap(([field, key]): Compared[] => {
    if (one[key] === undefined && other[key] === undefined) return [];
    const name = above === 0 ? field : `${field} above ${String(above)} tokens`;
    const prices: Compared['prices'] = [
      one[key] ?? wholePrice(one, key),
      other[key] ?? wholePrice(other, key),
    ];
    return [{ name, prices, toText: toUsdPerMillionTokens }];
  });
}

/** A kind of tokens without a price of its own has that of the count that contains it. */
function wholePrice(prices: Price, key: (typeof TOKEN_PRICES)[number][1]): PicoUsd {
  const whole = KIND_PRICES.find((kind) => kind.key === key)?.whole;
  return whole === 'completion' ? prices.outputPricePico : prices.inputPricePico;
}

const FREE = toPicoUsd(0n);

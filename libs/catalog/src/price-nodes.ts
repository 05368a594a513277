import { fromUsdPerMillionTokens, toPicoUsd, toUsdPerMillionTokens } from '@farebox/money';
import { isMap, isScalar, isSeq, type Document, type YAMLMap } from 'yaml';

/** Token prices of an entry of the catalogue file in pico-dollars, by `nameOf`. */
export type FilePrices = Map<string, bigint>;

/** `output_price`, or `output_price above 200000 tokens`. */
export const nameOf = (field: string, above: number): string =>
  above === 0 ? field : `${field} above ${String(above)} tokens`;

export const toText = (pico: bigint): string => toUsdPerMillionTokens(toPicoUsd(pico));

const FIELD = /^(?:input|output|cached_input|cache_write|reasoning)_price$/;

/** The token prices in an entry of the file. */
export function pricesOf(entry: YAMLMap | undefined): FilePrices {
  const prices: FilePrices = new Map();
  const add = (map: YAMLMap, above: number): void => {
    for (const { key, value } of map.items) {
      const [name, text] = [
        isScalar(key) ? String(key.value) : '',
        isScalar(value) ? String(value.value) : '',
      ];
      if (FIELD.test(name)) prices.set(nameOf(name, above), fromUsdPerMillionTokens(text));
    }
  };
  if (!entry) return prices;
  add(entry, 0);
  for (const step of mapsIn(entry.get('price_steps'))) add(step, Number(textOf(step, 'above_prompt_tokens')));
  return prices;
}

/** Existing values are replaced where they are, so that their comments stay. */
export function writePrices(document: Document, entry: YAMLMap, prices: FilePrices): void {
  const steps = new Map<string, Record<string, string>>();
  for (const [name, price] of prices) {
    const [, field = name, above] = /^(\w+) above (\d+) tokens$/.exec(name) ?? [];
    if (above === undefined) entry.set(field, toText(price));
    else steps.set(above, { ...steps.get(above), [field]: toText(price) });
  }
  if (steps.size === 0) return;
  const list = [...steps].map(([above, step]) => ({ above_prompt_tokens: above, ...step }));
  const before = mapsIn(entry.get('price_steps'));
  const isSame =
    before.length === list.length &&
    before.every((step, at) => textOf(step, 'above_prompt_tokens') === list[at]?.above_prompt_tokens);
  if (!isSame) entry.set('price_steps', document.createNode(list));
  else
    for (const [at, step] of before.entries())
      for (const [field, text] of Object.entries(list[at] ?? {})) step.set(field, text);
}

export function flowMap(document: Document): YAMLMap {
  const map = document.createNode({}) as YAMLMap;
  map.flow = true;
  return map;
}

export function entriesOf(document: Document, name: string): YAMLMap[] {
  return mapsIn(document.get(name));
}

export const mapsIn = (node: unknown): YAMLMap[] =>
  isSeq(node) ? node.items.filter((item): item is YAMLMap => isMap(item)) : [];

export function textOf(map: YAMLMap, name: string): string | undefined {
  const value: unknown = map.get(name);
  return typeof value === 'string' ? value : undefined;
}

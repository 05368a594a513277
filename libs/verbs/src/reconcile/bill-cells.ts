import type { CatalogSnapshot, Price } from '@farebox/catalog';
import type { FailedDay, RouteDay } from '@farebox/ledger';
import { isDeepStrictEqual } from 'node:util';
import { plus, type BilledCounts, type BilledLine } from './billed';
import type { Cell } from './compare-bill';

/** A day, an upstream and its model. */
export interface CellName {
  /** `all` if the days are compared together. */
  day: string;
  upstreamId: string;
  upstreamModel: string;
}

/** The name of a day in a report that compares all days together. */
export const ALL_DAYS = 'all';

const keyOf = ({ day, upstreamId, upstreamModel }: CellName): string =>
  JSON.stringify([day, upstreamId, upstreamModel]);

/** The bill by day, upstream and model: the sums of the lines of any number of files. */
export class BilledCells {
  readonly #cells = new Map<string, CellName & BilledCounts>();

  add(name: CellName, line: BilledCounts): void {
    const key = keyOf(name);
    const before = this.#cells.get(key);
    this.#cells.set(key, before ? { ...name, ...sumOf(before, line) } : { ...name, ...sumOf(line) });
  }

  get size(): number {
    return this.#cells.size;
  }

  values(): Iterable<CellName & BilledCounts> {
    return this.#cells.values();
  }
}

function sumOf(...lines: BilledCounts[]): BilledCounts {
  const costs = lines.flatMap(({ cost }) => cost ?? []);
  return {
    requests: plus(...lines.map(({ requests }) => requests)),
    promptTokens: plus(...lines.map(({ promptTokens }) => promptTokens)),
    completionTokens: plus(...lines.map(({ completionTokens }) => completionTokens)),
    cachedTokens: plus(...lines.map(({ cachedTokens }) => cachedTokens)),
    cacheWriteTokens: plus(...lines.map(({ cacheWriteTokens }) => cacheWriteTokens)),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0n),
  };
}

/** A route of the catalogue: the models that have it, and its cost if they agree on it. */
interface KnownRoute {
  modelIds: string[];
  price: Price | undefined;
}

/** The routes of a catalogue by upstream and the model's name there. */
export function routesOf(catalog: CatalogSnapshot): Map<string, KnownRoute> {
  const routes = new Map<string, KnownRoute>();
  for (const { id, routes: own } of catalog.models.values())
    for (const { upstreamId, upstreamModel, cost } of own) {
      const key = routeKey(upstreamId, upstreamModel);
      const known = routes.get(key);
      if (!known) routes.set(key, { modelIds: [id], price: cost });
      else {
        known.modelIds.push(id);
        if (!isDeepStrictEqual(known.price, cost)) known.price = undefined;
      }
    }
  return routes;
}

export const routeKey = (upstreamId: string, upstreamModel: string): string =>
  JSON.stringify([upstreamId, upstreamModel]);

/** Bills name the version of a model: `gpt-4o-2024-08-06`, `claude-sonnet-4-20250514`. */
const VERSION = /[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|latest|default)$/;

/**
 * The name of a billed model in routes: given explicitly, or the same, or without its version. Another name stays, and
 * is then unknown here.
 */
export function toUpstreamModel(
  upstreamId: string,
  model: string,
  { given, known }: { given: ReadonlyMap<string, string>; known: ReadonlySet<string> },
): string {
  const named = given.get(model);
  if (named !== undefined) return named;
  const bare = model.replace(VERSION, '');
  return [model, bare].find((name) => known.has(routeKey(upstreamId, name))) ?? model;
}

/** Puts the two sides of each cell together. */
export function toCells(
  {
    sold,
    failed,
    billed,
    routes,
  }: {
    sold: readonly RouteDay[];
    failed: readonly FailedDay[];
    billed: BilledCells;
    routes: ReadonlyMap<string, KnownRoute>;
  },
  dayOf: (day: string) => string,
): (CellName & Cell)[] {
  const cells = new Map<string, CellName & { sold?: RouteDay; billed?: BilledCounts }>();
  for (const one of sold) {
    const name = { day: dayOf(one.day), upstreamId: one.upstreamId, upstreamModel: one.upstreamModel };
    const before = cells.get(keyOf(name))?.sold;
    cells.set(keyOf(name), { ...name, sold: before ? plusDay(before, one) : one });
  }
  for (const { day, upstreamId, upstreamModel, ...counts } of billed.values()) {
    const name = { day, upstreamId, upstreamModel };
    cells.set(keyOf(name), { ...name, ...cells.get(keyOf(name)), billed: counts });
  }
  const failures = new Map<string, number>();
  for (const { day, modelId, requests } of failed) {
    const key = JSON.stringify([dayOf(day), modelId]);
    failures.set(key, (failures.get(key) ?? 0) + requests);
  }
  return [...cells.values()]
    .map((cell) => {
      const route = routes.get(routeKey(cell.upstreamId, cell.upstreamModel));
      const failedRequests = (route?.modelIds ?? []).reduce(
        (sum, modelId) => sum + (failures.get(JSON.stringify([cell.day, modelId])) ?? 0),
        0,
      );
      return { sold: undefined, billed: undefined, ...cell, failedRequests, price: route?.price };
    })
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

function plusDay(one: RouteDay, other: RouteDay): RouteDay {
  const sums = Object.entries(other).map(([name, value]) => {
    const before = one[name as keyof RouteDay];
    if (typeof value === 'bigint') return [name, value + (before as bigint)];
    return [name, typeof value === 'number' ? value + (before as number) : before];
  });
  return Object.fromEntries(sums) as RouteDay;
}

/** The upstream whose key a line was billed to; undefined if nothing says so. */
export function upstreamOf(
  { key, upstream }: BilledLine,
  { usual, byKey }: { usual: string | undefined; byKey: ReadonlyMap<string, string> },
): string | undefined {
  return upstream ?? (key === undefined ? undefined : byKey.get(key)) ?? usual;
}

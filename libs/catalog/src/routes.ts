import { z } from 'zod';
import type { Route } from './catalog';
import { priceEntry, toPrice, toPriceTexts } from './price-fields';

const smallNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine(
      (value) => value >= least && value <= most,
      `must be between ${String(least)} and ${String(most)}`,
    );

/** A route as the catalogue file has it. That its upstream is known is seen later. */
export const routeEntry = z.strictObject({
  upstream: z.string(),
  model: z.string().min(1).max(256),
  weight: smallNumber(1, 1_000).optional(),
  priority: smallNumber(0, 1_000).optional(),
  /** What its tokens cost whoever runs the service. */
  cost: priceEntry.optional(),
});

/**
 * Routes of which none has a weight or a priority are tried in their order in the file. If one has, the others have the
 * weight 1 and the priority 0.
 */
export function toRoutes(entries: readonly z.output<typeof routeEntry>[]): Route[] {
  const areOrdered = entries.every(({ weight, priority }) => weight === undefined && priority === undefined);
  return entries.map(({ upstream, model, weight = 1, priority, cost }, position) => ({
    upstreamId: upstream,
    upstreamModel: model,
    weight,
    priority: priority ?? (areOrdered ? position : 0),
    ...(cost && { cost: toPrice(cost) }),
  }));
}

/** In one line, for the difference between two catalogues. Weights and priorities are told only if they say something. */
export function toRoutesText(routes: readonly Route[]): string {
  const areOrdered = routes.every(({ weight, priority }, position) => weight === 1 && priority === position);
  return routes
    .map(({ upstreamId, upstreamModel, weight, priority, cost }) => {
      const order = areOrdered ? [] : [`priority ${String(priority)}`, `weight ${String(weight)}`];
      const costs = Object.entries(cost ? toPriceTexts(cost) : {}).map(([name, price]) => `${name} ${price}`);
      const said = [...order, ...(costs.length === 0 ? [] : [`cost: ${costs.join(', ')}`])];
      const name = `${upstreamId}/${upstreamModel}`;
      return said.length === 0 ? name : `${name} (${said.join(', ')})`;
    })
    .join(', ');
}

/**
 * The order in which one request tries the routes: a lower priority first; within one they are drawn by weight, so that
 * one of weight 3 comes before one of weight 1 three times out of four. `random` is at least 0 and below 1.
 */
export function drawRoutes(routes: readonly Route[], random: () => number): readonly Route[] {
  if (routes.length < 2) return routes;
  // Who waits for the shortest time, of exponential times at the rate of its weight, is drawn by weight.
  return routes
    .map((route) => ({ route, wait: -Math.log(1 - random()) / route.weight }))
    .sort((a, b) => a.route.priority - b.route.priority || a.wait - b.wait)
    .map(({ route }) => route);
}

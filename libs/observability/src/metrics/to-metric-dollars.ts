import type { NanoUsd } from '@farebox/money';

const NANO_IN_A_DOLLAR = 1e9;

/**
 * An amount as a metric shows it: a float, good for a graph and an alert, and for nothing that anybody pays. No other
 * code may turn money into one.
 */
export function toMetricDollars(amount: NanoUsd): number {
  return Number(amount) / NANO_IN_A_DOLLAR;
}

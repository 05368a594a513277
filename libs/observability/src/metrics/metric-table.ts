import type { MetricDefinition } from './definition';
import { GATEWAY_METRICS } from './gateway-metrics';
import { HTTP_METRICS } from './http-metrics';
import type { LabelValues } from './labels';
import { PROCESS_METRICS } from './process-metrics';
import { WORKER_METRICS } from './worker-metrics';

/** Every metric of Farebox's own. docs/OBSERVABILITY.md, the dashboard and the alerts are held against this table. */
export const METRICS = {
  ...PROCESS_METRICS,
  ...HTTP_METRICS,
  ...GATEWAY_METRICS,
  ...WORKER_METRICS,
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;

type NameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type CounterName = NameOf<'counter'>;
export type GaugeName = NameOf<'gauge'>;
export type HistogramName = NameOf<'histogram'>;

/** The values of the labels of a metric, in its order. */
export type LabelsOf<Name extends MetricName> = LabelValues<(typeof METRICS)[Name]['labels']>;

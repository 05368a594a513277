import type { LabelName } from './labels';

/** The processes that write a metric. */
export type MetricWriter = 'gateway' | 'account' | 'worker';

/** What is known of a metric before anything was measured. Base units: seconds, bytes, dollars. */
export interface MetricDefinition {
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly LabelName[];
  writers: readonly MetricWriter[];
  /** Upper bounds of a histogram's buckets, growing. */
  buckets?: readonly number[];
}

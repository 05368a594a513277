import { z } from 'zod';
import { flag, listenHost, port } from './fields';

/** As OTEL_TRACES_SAMPLER names them. */
const TRACE_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TelemetryConfig {
  /** Where /metrics is served. Not set: nowhere. */
  metrics: { host: string; port: number } | undefined;
  /** Not set: nothing is traced. */
  tracing: TracingSettings | undefined;
}

export interface TracingSettings {
  tracesUrl: string;
  sampler: (typeof TRACE_SAMPLERS)[number];
  ratio: number;
  /** Whether a client's `traceparent` names the trace of his request. */
  continuesTraces: boolean;
}

const collectorUrl = () =>
  z.url({ protocol: /^https?$/, error: 'must be a URL like http://127.0.0.1:4318' }).optional();

const RATIO_MESSAGE = 'must be a number from 0 to 1, like 0.1';

/** The variables of whatever is measured and traced. Those of OpenTelemetry mean what its specification says. */
export const telemetryVariables = {
  FAREBOX_METRICS_PORT: port().optional(),
  FAREBOX_METRICS_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_CONTINUE_TRACES: flag().default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collectorUrl(),
  OTEL_TRACES_SAMPLER: z
    .enum(TRACE_SAMPLERS, `must be one of ${TRACE_SAMPLERS.join(', ')}`)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0?\.\d{1,9}|[01](?:\.0{1,9})?)$/, RATIO_MESSAGE)
    .transform(Number)
    .default(1),
};

type TelemetryValues = z.output<z.ZodObject<typeof telemetryVariables>>;

/** What those variables come to. */
export function toTelemetryConfig(values: TelemetryValues): TelemetryConfig {
  const { FAREBOX_METRICS_PORT: metricsPort, FAREBOX_METRICS_HOST: host } = values;
  const tracesUrl = tracesUrlOf(values);
  return {
    metrics: metricsPort === undefined ? undefined : { host, port: metricsPort },
    tracing:
      tracesUrl === undefined
        ? undefined
        : {
            tracesUrl,
            sampler: values.OTEL_TRACES_SAMPLER,
            ratio: values.OTEL_TRACES_SAMPLER_ARG,
            continuesTraces: values.FAREBOX_CONTINUE_TRACES,
          },
  };
}

/** The endpoint of traces is taken as it is; that of all signals is a base. Source: OTLP exporter specification. */
function tracesUrlOf(values: TelemetryValues): string | undefined {
  if (values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined)
    return values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/traces`;
}

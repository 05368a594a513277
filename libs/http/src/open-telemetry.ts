import { ConfigError, type TelemetryConfig } from '@farebox/config';
import {
  createMetrics,
  FAREBOX_VERSION,
  type Logger,
  type Metrics,
  NO_TRACING,
  openTracing,
  type Telemetry,
  type Tracing,
} from '@farebox/observability';
import { openMetricsServer, type MetricsServer } from './metrics-server';
import type { Readiness } from './open-routes';

interface TelemetryOptions {
  /** `gateway`. */
  service: string;
  config: TelemetryConfig;
  log: Logger;
  /** Whether health checks are served beside the metrics, for a process that listens on nothing else. */
  answersHealth: boolean;
}

export interface RunningTelemetry extends Telemetry {
  /** From now on `/readyz` and `farebox_ready` report this function's result; until then, not ready. */
  follow(readiness: Readiness): void;
  /** Sends the remaining data. Never rejects: no running work depends on it. */
  close(): Promise<void>;
}

/** Builds a process's metrics and tracing. Throws `ConfigError` if metrics cannot be served. */
export async function openTelemetry(options: TelemetryOptions): Promise<RunningTelemetry> {
  const metrics = createMetrics({ measuresNode: options.config.metrics !== undefined });
  metrics.gauge('farebox_build_info', FAREBOX_VERSION, process.version).set(1);
  let followed: Readiness | undefined;
  const readiness: Readiness = { isReady: async () => (await followed?.isReady()) ?? false };
  const ready = metrics.gauge('farebox_ready');
  metrics.beforeScrape(async () => {
    ready.set(await readiness.isReady());
  });

  const server = await serveMetrics(options, metrics, readiness);
  const tracing = await beginTracing(options, metrics);
  return {
    metrics,
    tracer: tracing.tracer,
    follow(ofService) {
      followed = ofService;
    },
    async close() {
      await tracing.close();
      await server?.close();
    },
  };
}

async function serveMetrics(
  { config, log, answersHealth }: TelemetryOptions,
  metrics: Metrics,
  readiness: Readiness,
): Promise<MetricsServer | undefined> {
  if (!config.metrics) return undefined;
  const { host, port } = config.metrics;
  try {
    const server = await openMetricsServer({
      host,
      port,
      metrics,
      readiness: answersHealth ? readiness : undefined,
      log,
    });
    log.info({ event: 'metrics_served', host, port: server.port }, 'metrics are served here');
    return server;
  } catch (error) {
    throw new ConfigError([describeListenError(error)]);
  }
}

function describeListenError(error: unknown): string {
  const isCoded = typeof error === 'object' && error !== null && 'code' in error;
  const code = isCoded ? String(error.code) : 'unknown reason';
  return code === 'EADDRINUSE'
    ? 'The address for metrics is in use by another process: set FAREBOX_METRICS_PORT to a free port.'
    : `Metrics cannot be served (${code}): look at FAREBOX_METRICS_HOST and FAREBOX_METRICS_PORT.`;
}

function beginTracing(
  { service, config, log }: TelemetryOptions,
  metrics: Metrics,
): Tracing | Promise<Tracing> {
  if (!config.tracing) return NO_TRACING;
  const failures = metrics.counter('farebox_trace_exports_failed_total');
  let isTold = false;
  return openTracing({
    ...config.tracing,
    service,
    onExportFailed(error) {
      failures.add();
      // Only once: a collector that is down stays down for a while.
      if (!isTold) log.warn({ event: 'trace_export_failed', error }, 'the collector does not take traces');
      isTold = true;
    },
    onExportRestored() {
      log.info({ event: 'trace_export_restored' }, 'the collector takes traces again');
      isTold = false;
    },
  });
}

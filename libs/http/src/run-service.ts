import { ConfigError, type Environment, type TelemetryConfig } from '@farebox/config';
import { NoAnswerInTimeError, within } from '@farebox/flow';
import { createLogger, type Logger, type LogLevel, type Telemetry } from '@farebox/observability';
import { openTelemetry, type RunningTelemetry } from './open-telemetry';
import type { Readiness } from './open-routes';

interface ServiceConfig {
  logLevel: LogLevel;
  telemetry: TelemetryConfig;
}

interface ServiceDefinition<Config extends ServiceConfig> {
  /** `gateway`. */
  name: string;
  /** The variable with its port, if it listens. */
  listenVariable?: string;
  /** A sentence about an error of its start that the operator can fix. */
  describeError?: (error: unknown) => string | undefined;
  /** Throws `ConfigError`. */
  readConfig(environment: Environment): { config: Config; warnings: readonly string[] };
  start(config: Config, log: Logger, telemetry: Telemetry): Promise<RunningService>;
}

interface RunningService {
  /** Where it listens, if it does. If not, its health checks are beside its metrics. */
  address?: { host: string; port: number };
  readiness: Readiness;
  /** Finishes running work and closes everything. */
  stop(): Promise<void>;
  /** How long that may take before the process ends anyway. Default: ten seconds. */
  stopDeadlineMs?: number;
}

const DEFAULT_STOP_DEADLINE_MS = 10_000;

/**
 * The life of a service process: configuration, start, one `ready` line in the log, and a clean end on SIGTERM and
 * SIGINT. A failed start is reported on standard error in one sentence a problem, with exit code 1.
 */
export async function runService<Config extends ServiceConfig>(
  service: ServiceDefinition<Config>,
): Promise<void> {
  try {
    const { config, warnings } = service.readConfig(process.env);
    for (const warning of warnings) process.stderr.write(`${warning}\n`);
    const log = createLogger({ service: service.name, level: config.logLevel });
    const telemetry = await openTelemetry({
      service: service.name,
      config: config.telemetry,
      log,
      answersHealth: service.listenVariable === undefined,
    });
    const running = await service.start(config, log, telemetry);
    telemetry.follow(running.readiness);
    // Before it reports that it is ready: a supervisor that waited for that may stop it at once.
    stopOnSignals(running, telemetry, log);
    log.info({ event: 'ready', ...running.address }, `the ${service.name} is ready`);
  } catch (error) {
    for (const sentence of describeStartupError(error, service)) process.stderr.write(`${sentence}\n`);
    process.exit(1);
  }
}

function stopOnSignals(running: RunningService, telemetry: RunningTelemetry, log: Logger): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ event: 'stopping', signal }, 'stopping');
    stopInTime(running.stop(), running.stopDeadlineMs ?? DEFAULT_STOP_DEADLINE_MS)
      .finally(() => telemetry.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ event: 'stop_failed', error }, 'could not stop cleanly');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/**
 * Waits for a process's parts to stop, up to the deadline: a part that waits for a lost database must not keep the
 * process alive. Rejects with the error, or if it took too long.
 */
export async function stopInTime(stopping: Promise<void>, deadlineMs: number): Promise<void> {
  try {
    await within(deadlineMs, stopping);
  } catch (error) {
    throw error instanceof NoAnswerInTimeError ? new Error('something did not stop in time') : error;
  }
}

/** Why a process could not start, one sentence a problem, for the operator. Shows no secret. */
export function describeStartupError(
  error: unknown,
  {
    listenVariable,
    describeError,
  }: Pick<ServiceDefinition<ServiceConfig>, 'listenVariable' | 'describeError'>,
): readonly string[] {
  if (error instanceof ConfigError) return error.problems;
  const code = codeOf(error);
  if (listenVariable !== undefined) {
    if (code === 'EADDRINUSE') {
      return [`The address is in use by another process: set ${listenVariable} to a free port.`];
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      return [`The address cannot be listened on (${code}): look at FAREBOX_HOST and ${listenVariable}.`];
    }
  }
  const known = describeError?.(error);
  if (known !== undefined) return [known];
  return [error instanceof Error ? `The start failed: ${error.message}` : 'The start failed.'];
}

/** The code of an error, or of its cause. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}

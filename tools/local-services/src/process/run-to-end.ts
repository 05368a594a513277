import { ServiceExitError, ServiceProcess, type ServiceOptions } from './service-process';

const REPORTED_LINES = 20;

/**
 * Runs a command to its end and returns the lines it printed last. Throws ServiceExitError if it fails, also where it
 * was stopped because `interrupt` was given and fired.
 */
export async function runToEnd(options: ServiceOptions, interrupt?: AbortSignal): Promise<string[]> {
  const running = ServiceProcess.start(options);
  const stop = (): void => void running.stop();
  interrupt?.addEventListener('abort', stop);
  if (interrupt?.aborted) stop();
  const exit = await running.exited;
  interrupt?.removeEventListener('abort', stop);
  if (exit.code !== 0) throw new ServiceExitError(options.name, exit, running.output.last(REPORTED_LINES));
  return running.output.last(Infinity);
}

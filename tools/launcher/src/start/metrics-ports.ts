const MEASURED = ['gateway', 'account', 'worker'] as const;
const LARGEST_PORT = 65_535;

/**
 * Where a process of the local Farebox serves its metrics, as its environment says it. They share one machine: the
 * gateway has the port that was asked for, account and worker have the two after it. Other processes have none.
 */
export function metricsEnvironment(own: NodeJS.ProcessEnv, service: string): NodeJS.ProcessEnv {
  const position = MEASURED.findIndex((name) => name === service);
  const asked = Number(own.FAREBOX_METRICS_PORT);
  // What is no port is left as it is, for the service to complain of; 0 is a free one for each.
  const isShared = Number.isInteger(asked) && asked > 0 && asked + MEASURED.length - 1 <= LARGEST_PORT;
  return isShared && position > 0 ? { FAREBOX_METRICS_PORT: String(asked + position) } : {};
}

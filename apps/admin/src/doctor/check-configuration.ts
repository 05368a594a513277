import {
  ConfigError,
  type Environment,
  loadConfig,
  requiredVariables,
  toBoardConfig,
  toCardPaymentConfig,
  toLinkConfig,
} from '@farebox/config';

/** What one check of the doctor found. */
export interface Finding {
  /** What was looked at, in a few words. */
  check: string;
  state: 'ok' | 'warn' | 'fail';
  /** One sentence. Never a secret. */
  detail: string;
  /** What to do about it, if anything. */
  remedy?: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

export function warn(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'warn', detail, remedy };
}

export function fail(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'fail', detail, remedy };
}

/** Where sessions, leases and windows of seconds are concerned, this is noticed. */
const NOTICEABLE_MS = 2_000;
const HARMFUL_MS = 60_000;
const REMEDY = 'Let every machine follow a time server (chrony, systemd-timesyncd).';

/** `aheadMs`: by how much the other clock is ahead of this machine's. */
export function checkClock(of: string, aheadMs: number): Finding {
  const check = `clock of ${of}`;
  const difference = Math.abs(aheadMs);
  const detail = `${(difference / 1_000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's.`;
  if (difference >= HARMFUL_MS) return fail(check, detail, REMEDY);
  return difference >= NOTICEABLE_MS ? warn(check, detail, REMEDY) : ok(check, detail);
}

interface Service {
  name: 'gateway' | 'account' | 'worker';
  /** Reads all of it, as the service does when it starts. Throws `ConfigError`. Returns warnings. */
  read: (environment: Environment) => readonly string[];
}

const SERVICES: readonly Service[] = [
  { name: 'gateway', read: (environment) => loadConfig('gateway', environment).warnings },
  {
    name: 'account',
    read: (environment) => {
      const { values, warnings } = loadConfig('account', environment);
      toCardPaymentConfig(values);
      return warnings;
    },
  },
  {
    name: 'worker',
    read: (environment) => {
      const { values, warnings } = loadConfig('worker', environment);
      toLinkConfig(values);
      toBoardConfig(values);
      return warnings;
    },
  },
];

/**
 * Reads the environment as each service would. What is set must be right; what a service needs and this environment
 * does not have is a warning: services may be given variables of their own.
 */
export function checkConfiguration(environment: Environment): Finding[] {
  return SERVICES.flatMap((service) => checkService(service, environment));
}

function checkService({ name, read }: Service, environment: Environment): Finding[] {
  const check = `configuration of ${name}`;
  const missing = requiredVariables(name).filter((variable) => !environment[variable]);
  try {
    return [
      ...read(environment).map((warning) => warn(check, warning, 'Correct or remove it.')),
      ok(check, 'It is valid.'),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const notSet = new Set(missing.map((variable) => `${variable} is required but not set.`));
    const wrong = error.problems.filter((problem) => !notSet.has(problem));
    if (wrong.length > 0)
      return wrong.map((problem) => fail(check, problem, 'Correct it: the service does not start.'));
    return [
      warn(
        check,
        `Not set here: ${missing.join(', ')}.`,
        `Run the doctor in the environment of the ${name} service to check it whole.`,
      ),
    ];
  }
}

import {
  ConfigError,
  loadConfig,
  requiredVariables,
  toBoardConfig,
  toCardPaymentConfig,
  toLinkConfig,
  type Environment,
} from '@farebox/config';
import { fail, ok, warn, type Finding } from './finding';

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

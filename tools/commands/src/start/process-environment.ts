import { APPS, KNOWN_VARIABLES, schemasOf } from '@farebox/config';
import type { Settings } from './settings';
import type { Secrets } from './state-folder';

const READY_IS_LOGGED = new Set(['debug', 'info']);

/** The environment of the local Farebox: the user's own, and the variables that Farebox itself needs. */
export function serviceEnvironment(
  own: NodeJS.ProcessEnv,
  settings: Settings,
  given: {
    databaseUrl: string;
    secrets: Secrets;
    simulatedUpstreamUrl: string;
    baseUrl: string;
    operatorUrl: string;
  },
): NodeJS.ProcessEnv {
  const level = own.FAREBOX_LOG_LEVEL ?? '';
  return {
    ...own,
    DATABASE_URL: given.databaseUrl,
    REDIS_URL: settings.redisUrl,
    FAREBOX_HOST: '127.0.0.1',
    FAREBOX_KEY_PEPPERS: settings.keyPeppers ?? given.secrets.key_peppers,
    FAREBOX_ANSWER_KEYS: settings.answerKeys ?? given.secrets.answer_keys,
    FAREBOX_WEBHOOK_KEYS: settings.webhookKeys ?? given.secrets.webhook_keys,
    FAREBOX_SIMULATED_UPSTREAM_URL: given.simulatedUpstreamUrl,
    // Only where it is for the developer alone.
    ...(!own.FAREBOX_PUBLIC_URL && !own.FAREBOX_WEBHOOK_HTTP && { FAREBOX_WEBHOOK_HTTP: 'true' }),
    ...signInEnvironment(own, given.baseUrl),
    ...(!own.FAREBOX_OPERATOR_URL && { FAREBOX_OPERATOR_URL: given.operatorUrl }),
    // On a slow machine a newly started database may stall for longer than a service waits.
    ...(!own.FAREBOX_ONLY_GATEWAY && { FAREBOX_ONLY_GATEWAY: 'true' }),
    ...(!own.FAREBOX_DATABASE_START_TIMEOUT && { FAREBOX_DATABASE_START_TIMEOUT: '1h' }),
    // The launcher waits for lines that are not written at a higher level.
    FAREBOX_LOG_LEVEL: READY_IS_LOGGED.has(level) ? level : 'info',
  };
}

/**
 * Sign-in links lead to the edge, whose headers about its clients are trusted. They are shown in the terminal, unless
 * there is a mail server, or a public address of the user's own.
 */
function signInEnvironment(own: NodeJS.ProcessEnv, baseUrl: string): NodeJS.ProcessEnv {
  const isAsMade = !own.FAREBOX_MAIL_URL && !own.FAREBOX_PUBLIC_URL;
  const given = { FAREBOX_PUBLIC_URL: baseUrl, FAREBOX_SHOW_SIGN_IN_LINKS: String(isAsMade) };
  const all = { ...given, FAREBOX_TRUSTED_PROXIES: '127.0.0.1' };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !own[name]));
}

/** Variables of the system and of Node, without secrets. */
const OF_EVERY_PROCESS =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|NODE_\w+|NO_COLOR|SSL_CERT_\w+|FAREBOX_VERSION)$/i;
/** These two read variables that the user's catalogue names, including the secrets of upstreams. */
const READ_THE_CATALOGUE: readonly string[] = ['gateway', 'admin'];

/** The part of an environment that one process of Farebox needs: only its users get a secret. */
export function environmentOf(process: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const app = APPS.find((name) => name === process);
  const own = new Set(app && Object.keys(schemasOf(app)));
  const known = new Set(KNOWN_VARIABLES);
  const prefix = `FAREBOX_${process.toUpperCase().replaceAll('-', '_')}_`;
  const isNeeded = (name: string): boolean =>
    own.has(name) ||
    OF_EVERY_PROCESS.test(name) ||
    (!known.has(name) && (name.startsWith(prefix) || READ_THE_CATALOGUE.includes(process)));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNeeded(name)));
}

const MEASURED = ['gateway', 'account', 'worker'] as const;
const LARGEST_PORT = 65_535;

/**
 * The metrics address of a process of the local Farebox, according to its environment. They share one machine: the
 * gateway has the configured port, account and worker the two after it. Other processes have none.
 */
export function metricsEnvironment(own: NodeJS.ProcessEnv, service: string): NodeJS.ProcessEnv {
  const position = MEASURED.findIndex((name) => name === service);
  const asked = Number(own.FAREBOX_METRICS_PORT);
  // An invalid port is passed on, for the service to report; 0 is a free one for each.
  const isShared = Number.isInteger(asked) && asked > 0 && asked + MEASURED.length - 1 <= LARGEST_PORT;
  return isShared && position > 0 ? { FAREBOX_METRICS_PORT: String(asked + position) } : {};
}

import { type Secrets } from './secrets';
import { type Settings } from './settings';

const READY_IS_LOGGED = new Set(['debug', 'info']);

/**
 * The environment of every process of the local Farebox: the user's own, since it may hold the secrets of upstreams
 * that the catalogue names, and what Farebox itself needs.
 */
export function serviceEnvironment(
  own: NodeJS.ProcessEnv,
  settings: Settings,
  given: { databaseUrl: string; secrets: Secrets; simulatedUpstreamUrl: string; baseUrl: string },
): NodeJS.ProcessEnv {
  const level = own.FAREBOX_LOG_LEVEL ?? '';
  return {
    ...own,
    DATABASE_URL: given.databaseUrl,
    REDIS_URL: settings.redisUrl,
    FAREBOX_HOST: '127.0.0.1',
    FAREBOX_KEY_PEPPERS: settings.keyPeppers ?? given.secrets.key_peppers,
    FAREBOX_ANSWER_KEYS: settings.answerKeys ?? given.secrets.answer_keys,
    FAREBOX_SIMULATED_UPSTREAM_URL: given.simulatedUpstreamUrl,
    ...signInEnvironment(own, given.baseUrl),
    // The launcher waits for lines that are not written at a higher level.
    FAREBOX_LOG_LEVEL: READY_IS_LOGGED.has(level) ? level : 'info',
  };
}

/**
 * Links to sign in lead to the edge, whose word on its clients is taken. They are shown in the terminal, unless there is
 * a mail server, or an address of the user's own under which others reach the service.
 */
function signInEnvironment(own: NodeJS.ProcessEnv, baseUrl: string): NodeJS.ProcessEnv {
  const isAsMade = !own.FAREBOX_MAIL_URL && !own.FAREBOX_PUBLIC_URL;
  const given = { FAREBOX_PUBLIC_URL: baseUrl, FAREBOX_SHOW_SIGN_IN_LINKS: String(isAsMade) };
  const all = { ...given, FAREBOX_TRUSTED_PROXIES: '127.0.0.1' };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !own[name]));
}

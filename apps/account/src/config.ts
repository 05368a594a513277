import {
  cardPaymentVariables,
  ConfigError,
  flag,
  isOfThisMachine,
  keyPeppers,
  listenHost,
  loadConfig,
  logLevel,
  mailVariables,
  port,
  postgresUrl,
  toCardPaymentConfig,
  toMailConfig,
  trustedProxies,
  type CardPaymentConfig,
  type Environment,
  type KeyPepper,
  type MailConfig,
} from '@farebox/config';
import type { LogLevel } from '@farebox/observability';
import { z } from 'zod';

export interface AccountConfig {
  databaseUrl: string;
  keyPeppers: KeyPepper[];
  host: string;
  port: number;
  logLevel: LogLevel;
  /** Origin under which customers reach the service: links lead there. */
  publicUrl: string;
  /** Not set: no mail is sent. */
  mail: MailConfig | undefined;
  /** Development: links to sign in are written to the log. */
  showsSignInLinks: boolean;
  trustedProxies: readonly string[];
  /** Not set: no card is charged. */
  cardPayments: CardPaymentConfig | undefined;
}

const variables = z.object({
  DATABASE_URL: postgresUrl(),
  FAREBOX_KEY_PEPPERS: keyPeppers(),
  FAREBOX_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_ACCOUNT_PORT: port().default(8082),
  FAREBOX_LOG_LEVEL: logLevel().default('info'),
  ...mailVariables,
  ...cardPaymentVariables,
  FAREBOX_SHOW_SIGN_IN_LINKS: flag().default(false),
  FAREBOX_TRUSTED_PROXIES: trustedProxies().default([]),
});

const LINKS_IN_LOG =
  'FAREBOX_SHOW_SIGN_IN_LINKS is for development: it is taken only where FAREBOX_PUBLIC_URL is http on this machine.';

/** Throws `ConfigError` with every problem of the environment. */
export function readConfig(environment: Environment): { config: AccountConfig; warnings: string[] } {
  const { values, warnings } = loadConfig(variables, environment);
  const { publicUrl, mail } = toMailConfig(values);
  if (values.FAREBOX_SHOW_SIGN_IN_LINKS && !isOfThisMachine(publicUrl)) throw new ConfigError([LINKS_IN_LOG]);
  return {
    config: {
      databaseUrl: values.DATABASE_URL,
      keyPeppers: values.FAREBOX_KEY_PEPPERS,
      host: values.FAREBOX_HOST,
      port: values.FAREBOX_ACCOUNT_PORT,
      logLevel: values.FAREBOX_LOG_LEVEL,
      publicUrl,
      mail,
      showsSignInLinks: values.FAREBOX_SHOW_SIGN_IN_LINKS,
      trustedProxies: values.FAREBOX_TRUSTED_PROXIES,
      cardPayments: toCardPaymentConfig(values),
    },
    warnings,
  };
}

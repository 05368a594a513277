export { toBrand, textColorOn, toOwnedBy, type Brand } from './brand';
export { APPS, isLoopback, postgresUrl, redisUrl, type App, type Variable } from './fields';
export { readSentinelUrl, type RedisSentinels } from './redis-url';
export {
  type BoardConfig,
  type CardPaymentConfig,
  ConfigError,
  type Environment,
  loadConfig,
  type MailConfig,
  type OpenIdConfig,
  requiredVariables,
  type TelemetryConfig,
  toBoardConfig,
  toCardPaymentConfig,
  toLinkConfig,
  toMailConfig,
  toOpenIdConfig,
  toRetentionMonths,
  toTelemetryConfig,
} from './settings';
export {
  FEWEST_RETENTION_MONTHS,
  KNOWN_VARIABLES,
  REVIEW_POLICIES,
  schemasOf,
  VARIABLE_GROUPS,
  type PurgedUsage,
  type ReviewPolicy,
} from './variables';
export type { AnswerKey, KeyPepper, WebhookKey } from './versioned-secrets';

export { isOfThisMachine, postgresUrl, redisUrl } from './fields';
export { ConfigError, loadConfig, requiredVariables, type Environment } from './load-config';
export {
  toBoardConfig,
  toCardPaymentConfig,
  toLinkConfig,
  toMailConfig,
  toRetentionMonths,
  toTelemetryConfig,
  type BoardConfig,
  type CardPaymentConfig,
  type MailConfig,
  type TelemetryConfig,
} from './settings';
export {
  APPS,
  FEWEST_RETENTION_MONTHS,
  REVIEW_POLICIES,
  schemasOf,
  VARIABLE_GROUPS,
  type App,
  type ForgottenUsage,
  type ReviewPolicy,
  type Variable,
} from './variables';
export type { AnswerKey, KeyPepper } from './versioned-secrets';

export { toBrand, textColorOn, toOwnedBy, type Brand } from './brand';
export { APPS, isOfThisMachine, postgresUrl, redisUrl, type App, type Variable } from './fields';
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
  FEWEST_RETENTION_MONTHS,
  REVIEW_POLICIES,
  schemasOf,
  VARIABLE_GROUPS,
  type ForgottenUsage,
  type ReviewPolicy,
} from './variables';
export type { AnswerKey, KeyPepper } from './versioned-secrets';

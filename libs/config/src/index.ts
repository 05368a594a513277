export { boardVariables, toBoardConfig, type BoardConfig } from './board';
export { cardPaymentVariables, toCardPaymentConfig, type CardPaymentConfig } from './card-payments';
export { answerKeys, type AnswerKey } from './answer-keys';
export { durationMs, flag, listenHost, logLevel, port, postgresUrl, redisUrl, wholeNumber } from './fields';
export { keyPeppers, type KeyPepper } from './key-peppers';
export { mailFrom, mailUrl, mailVariables, toMailConfig, type MailConfig } from './mail';
export { ConfigError, loadConfig, type Environment, type LoadedConfig } from './load-config';
export { DEFAULT_PUBLIC_URL, isOfThisMachine, publicUrl } from './public-url';
export {
  telemetryVariables,
  toTelemetryConfig,
  type TelemetryConfig,
  type TracingSettings,
} from './telemetry';
export { accountVariables } from './services/account-variables';
export { gatewayVariables } from './services/gateway-variables';
export {
  FEWEST_RETENTION_MONTHS,
  REVIEW_POLICIES,
  toLinkConfig,
  toRetentionMonths,
  workerVariables,
  type ForgottenUsage,
  type ReviewPolicy,
} from './services/worker-variables';
export { trustedProxies } from './trusted-proxies';

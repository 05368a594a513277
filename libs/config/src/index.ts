export { cardPaymentVariables, toCardPaymentConfig, type CardPaymentConfig } from './card-payments';
export { answerKeys, type AnswerKey } from './answer-keys';
export { durationMs, flag, listenHost, logLevel, port, postgresUrl, redisUrl, wholeNumber } from './fields';
export { keyPeppers, type KeyPepper } from './key-peppers';
export { mailFrom, mailUrl, mailVariables, toMailConfig, type MailConfig } from './mail';
export { ConfigError, loadConfig, type Environment, type LoadedConfig } from './load-config';
export { isOfThisMachine, publicUrl } from './public-url';
export { trustedProxies } from './trusted-proxies';

export { answerKeys, type AnswerKey } from './answer-keys';
export { durationMs, listenHost, logLevel, port, postgresUrl, redisUrl, wholeNumber } from './fields';
export { keyPeppers, type KeyPepper } from './key-peppers';
export { ConfigError, loadConfig, type Environment, type LoadedConfig } from './load-config';

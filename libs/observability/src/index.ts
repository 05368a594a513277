export { toErrorRecord, type ErrorRecord } from './error-record';
export type { LogField, LogFields } from './log-fields';
export {
  LOG_LEVELS,
  createLogger,
  type LogDestination,
  type LogLevel,
  type Logger,
  type LoggerOptions,
} from './logger';
export { scrub } from './scrub';

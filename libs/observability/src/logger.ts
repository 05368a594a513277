import { pino, type Logger as PinoLogger } from 'pino';
import type { LogFields } from './log-fields';
import { toLogMessage, toLogRecord } from './log-record';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes one JSON line a call. Never throws, and writes nothing but the fields of `LogFields` and a message. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger whose every record carries these fields as well. */
  child(bindings: LogFields): Logger;
}

export interface LogDestination {
  /** Takes one line, with its line feed. */
  write(line: string): void;
}

export interface LoggerOptions {
  /** Which app writes: `gateway`. */
  service: string;
  /** The lowest level that is written. */
  level: LogLevel;
  /** Default: standard output, written without waiting, and flushed when the process exits. */
  destination?: LogDestination;
}

/** Lines that standard output does not take are kept up to this many bytes, and dropped beyond. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

function standardOutput(): LogDestination {
  return pino.destination({ dest: 1, sync: false, maxLength: MOST_WAITING_BYTES });
}

function writeNothing(): void {
  // The level is not written.
}

function wrap(inner: PinoLogger): Logger {
  const writer = (level: 'debug' | 'info' | 'warn' | 'error'): Logger['info'] =>
    inner.isLevelEnabled(level)
      ? (fields, message) => {
          inner[level](toLogRecord(fields), toLogMessage(message));
        }
      : writeNothing;
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (bindings) => wrap(inner.child(toLogRecord(bindings))),
  };
}

/** A logger with `time` (ISO 8601), `level`, `service`, the record's fields and `msg` on each line. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return wrap(pino(options, destination ?? standardOutput()));
}

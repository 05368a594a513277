import { type Logger as PinoLogger, pino } from 'pino';
import { type LogFields, toLogMessage, toLogRecord } from './log-fields';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * Writes one JSON line per call. Never throws, and writes nothing but a message and the fields of
 * `LogFields`.
 */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds these fields to every record. */
  child(bindings: LogFields): Logger;
}

export interface LogDestination {
  /** Takes one line including its line feed. */
  write(line: string): void;
  /** Writes out everything that is buffered. */
  flush?(): void;
}

export interface LoggerOptions {
  /** The service that writes: `gateway`. */
  service: string;
  /** The lowest level that is written. */
  level: LogLevel;
  /**
   * Default: standard output, written asynchronously in batches, within a tenth of a second. Warnings, errors
   * and a process exit flush it at once.
   */
  destination?: LogDestination;
}

/** Lines that standard output does not accept are kept up to this many bytes, then dropped. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/** A write costs more than the lines in it. Flush at this many bytes. */
const WRITTEN_TOGETHER_BYTES = 64 * 1024;
const MOST_AT_ONCE_BYTES = 2 * WRITTEN_TOGETHER_BYTES;
const LONGEST_KEPT_BACK_MS = 100;

function standardOutput(): LogDestination {
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: WRITTEN_TOGETHER_BYTES,
    maxWrite: MOST_AT_ONCE_BYTES,
    maxLength: MOST_WAITING_BYTES,
    // In text mode, every waiting line would be copied and measured again with each new line. The types know
    // only that mode.
    contentMode: 'buffer',
  }) as unknown as {
    write(line: Buffer): void;
    flush(): void;
    on(event: 'drain', listener: () => void): void;
  };
  let isDue = false;
  let isAsked = false;
  const flush = (): void => {
    isDue = false;
    isAsked = true;
    output.flush();
  };
  // It ignores a flush during a write: lines that came meanwhile would wait for the next one.
  output.on('drain', () => {
    if (!isAsked) return;
    isAsked = false;
    output.flush();
  });
  return {
    write(line) {
      output.write(Buffer.from(line));
      if (isDue) return;
      isDue = true;
      setTimeout(flush, LONGEST_KEPT_BACK_MS).unref();
    },
    flush,
  };
}

function writeNothing(): void {
  // The level is not enabled.
}

type WrittenLevel = Exclude<LogLevel, 'silent'>;

const IS_URGENT: Record<WrittenLevel, boolean> = { debug: false, info: false, warn: true, error: true };

function wrap(inner: PinoLogger, destination: LogDestination): Logger {
  const writer = (level: WrittenLevel): Logger['info'] =>
    inner.isLevelEnabled(level)
      ? (fields, message) => {
          inner[level](toLogRecord(fields), toLogMessage(message));
          if (IS_URGENT[level]) destination.flush?.();
        }
      : writeNothing;
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    child: (bindings) => wrap(inner.child(toLogRecord(bindings)), destination),
  };
}

/** Pino's `isoTime`, formatted only once per millisecond: lines come in bursts, and this costs a fifth. */
function createIsoTime(): () => string {
  let writtenMs = Number.NaN;
  let written = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== writtenMs) {
      writtenMs = nowMs;
      written = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return written;
  };
}

/** A logger with `time` (ISO 8601), `level`, `service`, the record's fields and `msg` on each line. */
export function createLogger({ service, level, destination = standardOutput() }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: createIsoTime(),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return wrap(pino(options, destination), destination);
}

import { type Logger as PinoLogger, pino } from 'pino';
import { type LogFields, toLogMessage, toLogRecord } from './log-fields';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

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
  /** Hands on at once what it has taken. */
  flush?(): void;
}

export interface LoggerOptions {
  /** Which app writes: `gateway`. */
  service: string;
  /** The lowest level that is written. */
  level: LogLevel;
  /**
   * Default: standard output, written without waiting, many lines at a time, within a tenth of a second. Warnings and
   * errors are written at once, and everything when the process exits.
   */
  destination?: LogDestination;
}

/** Lines that standard output does not take are kept up to this many bytes, and dropped beyond. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/** A write costs more than the lines in it. So many bytes are not kept back in any case. */
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
    // Of texts, all that wait would be copied and measured once more with each line. Its types know no other mode.
    contentMode: 'buffer',
  }) as unknown as { write(line: Buffer): void; flush(): void };
  let isDue = false;
  const flush = (): void => {
    isDue = false;
    output.flush();
  };
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
  // The level is not written.
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

/** Pino's `isoTime`, but written once a millisecond: lines come together, and it is a fifth of what one costs. */
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

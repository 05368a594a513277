/** A line of a process's log. */
export interface LogLine {
  process: string;
  event: string;
  request_id?: string;
  hold_id?: string;
  [field: string]: unknown;
}

/** What all processes have logged, over all of their starts. */
export interface ServiceLog {
  add(process: string, line: string): void;
  /** The lines of an event, oldest first. */
  of(event: string): LogLine[];
}

export function createServiceLog(): ServiceLog {
  const lines: LogLine[] = [];
  return {
    add(process, line) {
      if (line.startsWith('{')) lines.push({ ...(JSON.parse(line) as LogLine), process });
    },
    of: (event) => lines.filter((line) => line.event === event),
  };
}

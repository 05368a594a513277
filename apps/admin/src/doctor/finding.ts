/** What one check of the doctor found. */
export interface Finding {
  /** What was looked at, in a few words. */
  check: string;
  state: 'ok' | 'warn' | 'fail';
  /** One sentence. Never a secret. */
  detail: string;
  /** What to do, where something is to be done. */
  remedy?: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

export function warn(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'warn', detail, remedy };
}

export function fail(check: string, detail: string, remedy: string): Finding {
  return { check, state: 'fail', detail, remedy };
}

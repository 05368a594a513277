/** What one check of the doctor found. */
export interface Finding {
  /** What was looked at, in a few words. */
  check: string;
  state: 'ok' | 'warn' | 'fail';
  /** One sentence. Never a secret. */
  detail: string;
  /** What to do about it, if anything. */
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

/** Where sessions, leases and windows of seconds are concerned, this is noticed. */
const NOTICEABLE_MS = 2_000;
const HARMFUL_MS = 60_000;
const REMEDY = 'Let every machine follow a time server (chrony, systemd-timesyncd).';

/** `aheadMs`: by how much the other clock is ahead of this machine's. */
export function checkClock(of: string, aheadMs: number): Finding {
  const check = `clock of ${of}`;
  const difference = Math.abs(aheadMs);
  const detail = `${(difference / 1_000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's.`;
  if (difference >= HARMFUL_MS) return fail(check, detail, REMEDY);
  return difference >= NOTICEABLE_MS ? warn(check, detail, REMEDY) : ok(check, detail);
}

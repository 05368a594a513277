/** Where somebody was when their session ended. The link that signs them in again comes by mail and knows nothing of it. */

const KEY = 'farebox.return';
const MAX_AGE_MS = 3_600_000;

/** A path of the console's own. `//elsewhere.example` is another site. */
export function asOwnPath(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/')) return undefined;
  return value.startsWith('//') || value.startsWith('/\\') ? undefined : value;
}

/** Kept for all tabs, because the link opens in one of its own. */
export function keepReturnAddress(path: string, nowMs = Date.now()): void {
  localStorage.setItem(KEY, JSON.stringify({ path, keptMs: nowMs }));
}

/** The kept path, once; undefined if there is none, or it is too old to be what somebody is about now. */
export function takeReturnAddress(nowMs = Date.now()): string | undefined {
  const text = localStorage.getItem(KEY);
  localStorage.removeItem(KEY);
  if (text === null) return undefined;
  try {
    const { path, keptMs } = JSON.parse(text) as { path?: unknown; keptMs?: unknown };
    return typeof keptMs === 'number' && nowMs - keptMs < MAX_AGE_MS ? asOwnPath(path) : undefined;
  } catch {
    return undefined;
  }
}

import type { IncomingHttpHeaders } from 'node:http';

/** What the upstream received, and what became of it. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The parsed JSON body; `undefined` where there was none or it was not JSON. */
  body: unknown;
  /** Tokens that have been sent so far. */
  tokensSent: number;
  /** The answer was sent to its end, or cut off on purpose. */
  finished: boolean;
  /** The client closed the connection before that. */
  aborted: boolean;
}

/** The upstream may run for days: it remembers the newest requests, up to both bounds. */
const MOST_REQUESTS = 10_000;
const MOST_BODY_BYTES = 64 * 1024 * 1024;

export interface RequestLog {
  add(received: ReceivedRequest, bodyBytes: number): void;
  /** Copies, oldest first. */
  list(): ReceivedRequest[];
}

export function createRequestLog(mostRequests = MOST_REQUESTS, mostBodyBytes = MOST_BODY_BYTES): RequestLog {
  const entries: { received: ReceivedRequest; bodyBytes: number }[] = [];
  let totalBytes = 0;
  return {
    add(received, bodyBytes) {
      entries.push({ received, bodyBytes });
      totalBytes += bodyBytes;
      while (entries.length > mostRequests || (totalBytes > mostBodyBytes && entries.length > 1)) {
        totalBytes -= entries.shift()?.bodyBytes ?? 0;
      }
    },
    list: () => entries.map(({ received }) => ({ ...received })),
  };
}

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * What helmet sets for a service that answers JSON only, worked out once: a response that does not go through
 * Express carries the same headers, from the same source.
 */
export const SECURITY_HEADERS: readonly (readonly [string, string])[] = headersOf(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
  }),
);

function headersOf(middleware: ReturnType<typeof helmet>): [string, string][] {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  middleware(res.req, res, (error?: unknown) => {
    if (error) throw error instanceof Error ? error : new Error('helmet refused its options');
  });
  return Object.entries(res.getHeaders()).map(([name, value]) => [name, String(value)]);
}

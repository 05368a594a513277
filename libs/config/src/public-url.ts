import { z } from 'zod';

/** Where `npm start` listens unless it is told otherwise. */
export const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:8080';

const MESSAGE =
  'must be a base URL like https://farebox.example, without a path; http is taken for this machine alone';

/**
 * Where customers reach the service: scheme, host and port, read into that origin. Links that sign people in lead
 * there, so it is https; http is for development on the machine itself.
 */
export function publicUrl() {
  return z.string().transform((text, context): string => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isOrigin = url?.href === `${url?.origin ?? ''}/` && url.username === '';
    if (url && isOrigin && (url.protocol === 'https:' || isOfThisMachine(url.origin))) return url.origin;
    context.addIssue({ code: 'custom', message: MESSAGE });
    return z.NEVER;
  });
}

/** Whether an origin is plain http on the machine itself, where no one else reads along. */
export function isOfThisMachine(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

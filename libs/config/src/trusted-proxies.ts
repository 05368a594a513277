import { isIP } from 'node:net';
import { z } from 'zod';

const MESSAGE = 'must be addresses or networks like 127.0.0.1 or 10.0.0.0/8, with commas between them';

/** The proxies whose word on where a request comes from (`X-Forwarded-For`) is taken. */
export function trustedProxies() {
  return z.string().transform((text, context): string[] => {
    const proxies = text.split(',').map((part) => part.trim());
    if (proxies.every(isNetwork)) return proxies;
    context.addIssue({ code: 'custom', message: MESSAGE });
    return z.NEVER;
  });
}

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  // A network of everybody would let each client say who he is.
  return (
    prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128))
  );
}

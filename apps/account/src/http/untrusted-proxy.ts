import type { Logger } from '@farebox/observability';
import type { NextFunction, Request, Response } from 'express';

/**
 * Warns, once, of a proxy in front that is not trusted: all its clients would be counted as one, and any of them could
 * use up the attempts to sign in of the others.
 */
export function warnOfUntrustedProxy(log: Logger) {
  let hasWarned = false;
  return (req: Request, _res: Response, next: NextFunction): void => {
    // Express puts the addresses of the header here, if it comes from a proxy that is trusted.
    if (!hasWarned && req.headers['x-forwarded-for'] !== undefined && req.ips.length === 0) {
      hasWarned = true;
      log.warn(
        { event: 'proxy_not_trusted' },
        'X-Forwarded-For came from an address that FAREBOX_TRUSTED_PROXIES does not name',
      );
    }
    next();
  };
}

import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** When and how a client leaves. */
export interface Leaving {
  /**
   * Bytes of the response's body. With 0 they leave `afterMs` after the service has their request's head,
   * whatever has arrived.
   */
  afterBytes: number;
  afterMs: number;
  how: 'resets' | 'closes' | 'half-closes' | 'stays';
  /** The pause after each part that they read. */
  restMs: number;
}

/** The part of a response that a client has read. */
export interface ReadResponse {
  status: number | undefined;
  body: string;
}

/**
 * Sends a request on its own connection, reads at its own pace, and leaves as `Leaving` says. Never rejects.
 */
export function askAndLeave(
  url: string,
  headers: Record<string, string>,
  body: string,
  { afterBytes, afterMs, how, restMs }: Leaving,
): Promise<ReadResponse> {
  return new Promise((resolve) => {
    const read: ReadResponse = { status: undefined, body: '' };
    const more = { 'content-length': String(Buffer.byteLength(body)), expect: '100-continue' };
    const req = request(url, { method: 'POST', headers: { ...headers, ...more }, agent: false });
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft || how === 'stays') return;
      hasLeft = true;
      if (how === 'resets') req.socket?.resetAndDestroy();
      else if (how === 'closes') req.destroy();
      else req.socket?.end();
    };
    let timer: NodeJS.Timeout | undefined;
    req.on('continue', () => {
      req.end(body);
      if (afterBytes === 0) timer = setTimeout(leave, afterMs);
    });
    req.on('error', () => undefined);
    req.on('close', () => {
      clearTimeout(timer);
      resolve(read);
    });
    req.on('response', (res) => {
      read.status = res.statusCode;
      res.on('error', () => undefined);
      res.on('data', (part: Buffer) => {
        read.body += part.toString('latin1');
        if (afterBytes > 0 && read.body.length >= afterBytes) leave();
        if (restMs === 0) return;
        res.pause();
        void sleep(restMs).then(() => res.resume());
      });
    });
    req.flushHeaders();
  });
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that Stripe's API was sent. */
export interface StripeCall {
  path: string;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
  /** The fields of its form. */
  form: Record<string, string>;
}

/** Plays Stripe's API as far as checkouts need it. */
export interface StripeServer {
  url: string;
  calls: StripeCall[];
  /** From now on, every request is answered with this status; `undefined`: as Stripe does. */
  failWith(status: number | undefined): void;
  close(): Promise<void>;
}

export async function startStripeServer(): Promise<StripeServer> {
  const calls: StripeCall[] = [];
  let failure: number | undefined;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      calls.push({
        path: `${req.method ?? ''} ${req.url ?? ''}`,
        authorization: req.headers.authorization,
        idempotencyKey: req.headers['idempotency-key']?.toString(),
        form: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
      });
      const id = `cs_test_${String(calls.length)}`;
      const session = {
        id,
        object: 'checkout.session',
        url: `https://pay.example/${id}`,
        expires_at: 1_900_000_000,
      };
      const error = { error: { type: 'api_error', message: 'sk_test_e2e is down' } };
      res.writeHead(failure ?? 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(failure === undefined ? session : error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    calls,
    failWith: (status) => {
      failure = status;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}

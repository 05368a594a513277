import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A customer's server that gets webhooks. */
export interface WebhookReceiver {
  url: string;
  received: { headers: IncomingHttpHeaders; body: string }[];
  /** Waits until as many have arrived. */
  until(count: number): Promise<void>;
  /** Cuts what is not answered. */
  close(): Promise<void>;
}

/** Answers with the statuses in turn, and then with the last one again; 0 never answers. */
export async function openWebhookReceiver(statuses: readonly number[]): Promise<WebhookReceiver> {
  const received: WebhookReceiver['received'] = [];
  let waiting: { count: number; arrived: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const status = statuses[received.length] ?? statuses.at(-1) ?? 200;
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (status !== 0) response.writeHead(status, { location: '/elsewhere' }).end('thanks');
      waiting = waiting.filter(({ count, arrived }) => {
        if (received.length >= count) arrived();
        return received.length < count;
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    received,
    until: (count) =>
      received.length >= count
        ? Promise.resolve()
        : new Promise((arrived) => waiting.push({ count, arrived })),
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
}

import { connect, type Socket } from 'node:net';
import { createApiKeySecret } from '@farebox/auth';
import { codeIn, sleep, type Attacker } from './attacker';

function open(attacker: Attacker): Socket {
  const { hostname, port } = new URL(attacker.setting.gatewayOrigin);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  attacker.onEnd(() => {
    socket.destroy();
  });
  return socket;
}

function headOf(token: string, more: string): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: farebox\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${more}`;
}

const statusOf = (text: string): string => /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'cut';

/** Connections that send a byte a second, half of them of their headers and half of a body; opened anew if cut. */
export async function sendSlowly(attacker: Attacker, connections: number): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      await sleep((1_000 * number) / connections);
      while (attacker.leftMs > 0) {
        const socket = open(attacker);
        const head = headOf(attacker.nextKey(), 'content-length: 1000\r\n');
        socket.write(number % 2 === 0 ? head : `${head}\r\n{`);
        socket.once('data', (bytes) => {
          attacker.tell(
            `${statusOf(bytes.toString())} ${codeIn(bytes.toString().split('\r\n\r\n')[1] ?? '')}`,
          );
        });
        while (attacker.leftMs > 0 && !socket.destroyed) {
          await sleep(Math.min(1_000, attacker.leftMs));
          socket.write(number % 2 === 0 ? 'x' : ' ');
        }
      }
    }),
  );
}

const NEVER_READ_WITHIN_MS = 5_000;

/** Connections that ask for a long stream, or for an answer of 200 KB, and read nothing. */
export async function neverRead(attacker: Attacker, connections: number): Promise<void> {
  for (let number = 0; number < connections && attacker.leftMs > 0; number++) {
    const socket = open(attacker);
    socket.pause();
    const stream = number % 2 === 0;
    const body = JSON.stringify({
      ...{ model: 'long', stream, max_tokens: 40_000 },
      messages: [{ role: 'user', content: 'hi' }],
    });
    socket.write(`${headOf(attacker.nextKey(), `content-length: ${String(body.length)}\r\n`)}\r\n${body}`);
    socket.once('close', () => {
      if (attacker.leftMs > 0) attacker.tell('cut');
    });
    // Over seconds: what is tried is connections that stay, not what so many requests take at once.
    await sleep(NEVER_READ_WITHIN_MS / connections);
  }
  await sleep(attacker.leftMs);
}

const AT_A_TIME = 8;

/** Asks with keys that nobody has, on a few connections: several at a time on each, opened anew if cut. */
export async function guessKeys(
  attacker: Attacker,
  { perSecond, isWellFormed }: { perSecond: number; isWellFormed: boolean },
): Promise<void> {
  const connections = 64;
  const everyMs = (1_000 * connections * AT_A_TIME) / perSecond;
  const startedAtMs = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, number) => {
      let socket = open(attacker);
      for (let turn = number / connections; attacker.leftMs > 0; turn++) {
        await sleep(Math.min(attacker.leftMs, startedAtMs + turn * everyMs - performance.now()));
        if (socket.destroyed || !socket.writable) socket = open(attacker);
        await Promise.race([guess(attacker, socket, isWellFormed), sleep(attacker.leftMs)]);
      }
    }),
  );
}

/** Some requests at once. Resolves when all are answered, or the connection is closed. */
function guess(attacker: Attacker, socket: Socket, isWellFormed: boolean): Promise<void> {
  const requests = Array.from({ length: AT_A_TIME }, () => {
    const secret = createApiKeySecret();
    return `${headOf(isWellFormed ? secret : `${secret.slice(0, -1)}_`, 'content-length: 0\r\n')}\r\n`;
  });
  let awaited = AT_A_TIME;
  return new Promise((resolve) => {
    const take = (bytes: Buffer): void => {
      for (const [, status] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d+)/g)) {
        attacker.tell(status ?? '');
        awaited--;
      }
      if (awaited <= 0) end();
    };
    const end = (): void => {
      socket.off('data', take).off('close', end);
      resolve();
    };
    socket.on('data', take).on('close', end);
    socket.write(requests.join(''));
  });
}

import { createServer, type Server, type ServerResponse } from 'node:http';
import { onceResponseEnds } from './response-end';
import { listen } from './http-server';
import { connectRaw, type RawClient } from '../test/raw-client';

/** More than the system buffers on both ends of a connection. */
const LONG = Buffer.alloc(16 * 1024 * 1024, 'x');

let server: Server;
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** A client whose request `answer` responds to, and who does not read yet. */
async function given(answer: (res: ServerResponse) => void, headers = '') {
  const asked = new Promise<{ res: ServerResponse; answered: Promise<boolean> }>((resolve) => {
    server = createServer((_req, res) => {
      const answered = new Promise<boolean>((onAnswered) => {
        onceResponseEnds(res, onAnswered);
      });
      answer(res);
      resolve({ res, answered });
    });
  });
  const client: RawClient = await connectRaw(await listen(server, { host: '127.0.0.1', port: 0 }));
  client.socket.pause();
  await client.send(`GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  return { client, ...(await asked) };
}

const sendLong = (res: ServerResponse): void => {
  res.setHeader('content-length', LONG.length);
  res.end(LONG);
};

describe('a response is written out', () => {
  it.each([
    ['that is short', (res: ServerResponse) => res.end('short'), ''],
    ['without a body', (res: ServerResponse) => res.end(), ''],
    ['that is long', sendLong, ''],
    ['that is the last one of its connection', sendLong, 'Connection: close\r\n'],
  ])('%s, to a client who reads it', async (_name, answer, headers) => {
    const { client, answered } = await given(answer, headers);
    client.socket.resume();
    expect(await answered).toBe(true);
    client.socket.destroy();
  });
});

describe('a response is not written out', () => {
  it('to a client who leaves during the writing', async () => {
    const { client, answered } = await given(sendLong);
    client.socket.resetAndDestroy();
    expect(await answered).toBe(false);
  });

  it('if the service itself cuts the connection during the writing', async () => {
    const { client, res, answered } = await given(sendLong);
    setImmediate(() => res.destroy());
    expect(await answered).toBe(false);
    client.socket.destroy();
  });

  it('over a connection on which a write fails', async () => {
    const fail = (done: (error: Error) => void): unknown => setImmediate(done, new Error('write ETIMEDOUT'));
    const { client, answered } = await given((res) => {
      const { socket } = res.req;
      socket._write = (_chunk, _encoding, done) => fail(done);
      socket._writev = (_chunks, done) => fail(done);
      socket.on('error', () => undefined);
      sendLong(res);
    });
    expect(await answered).toBe(false);
    client.socket.destroy();
  });

  it('if it did not end properly', async () => {
    const { client, res, answered } = await given((begun) => begun.write('half'));
    setImmediate(() => res.destroy());
    expect(await answered).toBe(false);
    client.socket.destroy();
  });
});

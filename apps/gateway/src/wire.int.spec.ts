import { connect } from 'node:net';
import { startGatewayStand, type GatewayStand } from './gateway.stand';

let stand: GatewayStand;
beforeAll(async () => {
  stand = await startGatewayStand();
});
afterAll(async () => {
  await stand.expectSettled();
  await stand.close();
});

describe('what no client library sends', () => {
  const host = 'Host: x\r\n';
  it.each([
    ['a bad method', `BREW / HTTP/1.1\r\n${host}\r\n`, 400],
    [
      'both lengths',
      `POST /v1/models HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
    ],
    [
      'bad chunks',
      `POST /v1/chat/completions HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    ['headers over 16 KB', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`, 400],
    ['no Host', 'GET /v1/models HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', `GET /v1/models HTTP/1.1\r\n${host}${host}\r\n`, 400],
    [
      'two credentials',
      `GET /v1/models HTTP/1.1\r\n${host}Authorization: a\r\nAuthorization: b\r\n\r\n`,
      400,
    ],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n', 405],
    ['TRACE', `TRACE /v1/models HTTP/1.1\r\n${host}\r\n`, 405],
    ['a whole URL with a wrong method', `GET http://x/v1/chat/completions HTTP/1.1\r\n${host}\r\n`, 405],
    ['a whole URL without a credential', `POST http://x/v1/chat/completions?a HTTP/1.1\r\n${host}\r\n`, 401],
    ['the server itself', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 404],
    ['a path in other letters', `GET /V1/models HTTP/1.1\r\n${host}\r\n`, 404],
    ['a path with a slash at its end', `GET /v1/models/ HTTP/1.1\r\n${host}\r\n`, 404],
    ['an unknown Expect', `GET /v1/models HTTP/1.1\r\n${host}Expect: miracles\r\n\r\n`, 400],
  ])('%s is answered in the envelope', async (_name, text, status) => {
    const { port } = new URL(stand.url);
    const answer = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (data) => {
        received += data.toString();
        if (received.includes('}}')) socket.destroy();
      });
      socket.on('close', () => {
        resolve(received);
      });
      socket.on('error', reject);
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(answer.toLowerCase()).toContain('x-service-request-id: req_');
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toHaveProperty('error.code');
  });
});

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { freePort } from '@farebox/local-services';
import { waitUntil } from '@farebox/testing';
import { certificate, startEdge, type EdgeProcess } from './edge-process';
import { startFakeService, type FakeService } from './fake-service';

let folder: string;
let file: string;
let port: number;
let edge: EdgeProcess;
let gateway: FakeService;
let end: () => void;
let first: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farebox-tls-'));
  file = join(folder, 'farebox.pem');
  first = certificate('first');
  writeFileSync(file, first, { mode: 0o600 });
  port = await freePort();
  gateway = await startFakeService((req, res) => {
    if (req.url === '/v1/models') {
      res.end(`models for ${String(req.headers['x-forwarded-for'])}`);
      return;
    }
    req.resume();
    res.write('begun ');
    end = () => res.end('ended');
  });
  edge = await startEdge({
    FAREBOX_EDGE_GATEWAY_1: gateway.address,
    FAREBOX_EDGE_CERTIFICATE: file,
    FAREBOX_EDGE_TLS_BIND: `127.0.0.1:${String(port)}`,
  });
});
afterEach(async () => {
  await edge.process.stop();
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The response and the name in the certificate of a new connection; throws if `ca` has not signed that. */
async function ask(path: string, ca: string): Promise<{ response: IncomingMessage; name: string }> {
  const client = request({ host: '127.0.0.1', port, path, ca, agent: false }).end();
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  const { socket } = response;
  if (!(socket instanceof TLSSocket)) throw new Error('the connection is not TLS');
  return { response, name: String(socket.getPeerCertificate().subject.CN) };
}

const textOf = async (response: IncomingMessage): Promise<string> =>
  (await response.toArray()).map(String).join('');

it('speaks TLS with the certificate that it is given, over HTTP/1.1 and HTTP/2', async () => {
  const { response, name } = await ask('/v1/models', first);
  expect([name, await textOf(response)]).toEqual(['first', 'models for 127.0.0.1']);

  const session = connectHttp2(`https://127.0.0.1:${String(port)}`, { ca: first });
  expect(await textOf(session.request({ ':path': '/v1/models' }) as unknown as IncomingMessage)).toBe(
    'models for 127.0.0.1',
  );
  expect(session.alpnProtocol).toBe('h2');
  session.close();
});

it('takes a renewed certificate while a stream runs', async () => {
  const { response: stream } = await ask('/v1/responses', first);
  const renewed = certificate('renewed');
  writeFileSync(file, renewed);
  edge.process.signal('SIGUSR2');
  await waitUntil(
    () =>
      ask('/v1/models', renewed).then(
        ({ name }) => name === 'renewed',
        () => false,
      ),
    'a new connection gets the renewed certificate',
  );
  end();
  expect(await textOf(stream)).toBe('begun ended');
});

import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { RequestBodies, UnwrittenResponses, createRequestMeter, RequestRecorder } from '@farebox/http';
import { createLogger, quietTelemetry } from '@farebox/observability';
import { createApp } from './app';
import type { OpenEndpoint } from './http/endpoint';

/** More than the system buffers for a connection at both ends. */
const LONG = Buffer.alloc(16 * 1024 * 1024, 'x');

let server: Server;
let port: number;
let asked: Promise<void>;
let logged: Promise<Record<string, unknown>>;

beforeEach(async () => {
  let onAsked: () => void;
  asked = new Promise((resolve) => (onAsked = resolve));
  logged = new Promise((resolve) => {
    const write = (line: string): void => {
      resolve(JSON.parse(line) as Record<string, unknown>);
    };
    const log = createLogger({ service: 'test', level: 'info', destination: { write } });
    const { metrics, tracer } = quietTelemetry();
    const long: OpenEndpoint = {
      method: 'GET',
      path: '/v1/things/:thing_id',
      handle: () => {
        onAsked();
        return Promise.resolve({ status: 200, document: { mediaType: 'application/pdf', content: LONG } });
      },
    };
    const app = createApp({
      ...{
        endpoints: [],
        openEndpoints: [long],
        keyEndpoints: [],
        findApiKey: () => Promise.resolve(undefined),
        documents: [],
        trustedProxies: [],
        memory: { bodies: new RequestBodies(Infinity), responses: new UnwrittenResponses(Infinity) },
        consoleOrigins: [],
      },
      console: { files: undefined, brand: { name: 'Test', color: undefined, logoUrl: undefined } },
      findSession: () => Promise.resolve(undefined),
      readiness: { isReady: () => true },
      recorder: new RequestRecorder({ log, tracer, requests: createRequestMeter(metrics) }),
      log,
    });
    server = createServer(app);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

it('a request is logged by its route, not its path, once its response is written', async () => {
  const response = await fetch(`http://127.0.0.1:${String(port)}/v1/things/secret?token=secret`);
  await response.arrayBuffer();
  const record = await logged;
  expect(record).toMatchObject({
    event: 'request_completed',
    request_id: response.headers.get('x-request-id'),
    method: 'GET',
    route: '/v1/things/:thing_id',
    status: 200,
  });
  expect(record).not.toHaveProperty('code');
  expect(JSON.stringify(record)).not.toContain('secret');
});

it('a client that disconnects during the response counts as unanswered', async () => {
  const socket = connect(port, '127.0.0.1').pause();
  socket.write('GET /v1/things/1 HTTP/1.1\r\nHost: x\r\n\r\n');
  await asked;
  socket.resetAndDestroy();
  expect(await logged).toMatchObject({ event: 'request_cut', status: 200, code: 'client_gone' });
});

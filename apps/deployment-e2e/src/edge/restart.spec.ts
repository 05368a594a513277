import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { startEdge, STOP_SIGNAL, type EdgeProcess } from './edge-process';
import { startFakeService, type FakeService } from './fake-service';

/** Ends the streams that run. */
let end: () => void;
let gateway: FakeService;
const edges: EdgeProcess[] = [];
let env: Record<string, string>;

beforeEach(async () => {
  gateway = await startFakeService((req, res) => {
    req.resume();
    if (req.url === '/v1/models') {
      res.end('ok');
      return;
    }
    const timer = setInterval(() => res.write('part '), 20);
    end = () => {
      clearInterval(timer);
      res.end('last');
    };
  });
  env = { FAREBOX_EDGE_GATEWAY_1: gateway.address, FAREBOX_EDGE_GATEWAY_2: gateway.address };
});
afterEach(async () => {
  await Promise.all(edges.splice(0).map((edge) => edge.process.stop()));
  await gateway.close();
});

async function openEdge(port?: number): Promise<EdgeProcess> {
  const edge = await startEdge(env, port);
  edges.push(edge);
  return edge;
}

/** The whole text of a stream, and whether it came to its end. */
async function stream(edge: EdgeProcess): Promise<{ begun: Promise<void>; whole: Promise<string> }> {
  const client = request(`${edge.url}/v1/chat/completions`, { method: 'POST', agent: false }).end('{}');
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  const begun = once(response, 'data').then(() => undefined);
  const whole = (async () => {
    let text = '';
    for await (const part of response) text += String(part);
    return text;
  })();
  return { begun, whole };
}

/**
 * The system resets a connection that still waits in the queue of a listener when that closes. In the containers' network
 * it moves to the other edge (`tcp_migrate_req`), which is off on this machine.
 */
const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

/** Asks one request after the other, on one connection or on new ones, and counts the failures. */
function customers(edge: EdgeProcess): { failures: string[]; answered(): number; stop(): Promise<void> } {
  const failures: string[] = [];
  let [answered, isStopped] = [0, false];
  const ask = async (agent: Agent | false): Promise<void> => {
    while (!isStopped) {
      const client = request(`${edge.url}/v1/models`, { agent }).end();
      await once(client, 'response').then(
        async ([response]: IncomingMessage[]) => {
          if (response?.statusCode !== 200) failures.push(String(response?.statusCode));
          const parts = await response?.toArray();
          answered += parts?.length ?? 0;
        },
        (error: unknown) => {
          if (client.reusedSocket || !isReset(error)) failures.push(String(error));
        },
      );
      await delay(2);
    }
  };
  const agents = [
    new Agent({ keepAlive: true, maxSockets: 1 }),
    new Agent({ keepAlive: true, maxSockets: 1 }),
  ];
  const running = Promise.all([...agents.map(ask), ask(false), ask(false)]);
  return {
    failures,
    answered: () => answered,
    async stop() {
      isStopped = true;
      await running;
      for (const agent of agents) agent.destroy();
    },
  };
}

it('two edges share a port: either restarts under an open stream, and no request fails', async () => {
  const first = await openEdge();
  const second = await openEdge(first.port);
  const load = customers(first);
  for (const edge of [first, second]) {
    const open = await stream(first);
    await open.begun;
    edge.process.signal(STOP_SIGNAL);
    const before = load.answered();
    while (load.answered() < before + 200) await delay(10);
    end();
    expect(await open.whole).toMatch(/part last$/);
    await openEdge(first.port);
  }
  await load.stop();
  expect(load.failures).toEqual([]);
});

it('an edge that is alone takes a changed configuration without closing its port or a stream', async () => {
  const edge = await openEdge();
  const load = customers(edge);
  const open = await stream(edge);
  await open.begun;
  for (let reload = 0; reload < 3; reload++) {
    edge.process.signal('SIGUSR2');
    const before = load.answered();
    while (load.answered() < before + 100) await delay(10);
  }
  end();
  expect(await open.whole).toMatch(/part last$/);
  await load.stop();
  expect(load.failures).toEqual([]);
});

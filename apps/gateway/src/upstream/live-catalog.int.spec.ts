import { applyCatalog, parseCatalog, type Upstream } from '@farebox/catalog';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import { createUpstreamClient, type UpstreamClient } from './upstream-client';
import { openLiveCatalog } from './live-catalog';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

const catalogOf = (secondUrl: string, price: string) =>
  parseCatalog(
    `
upstreams:
  - { id: first, base_url: "http://127.0.0.1:9/v1" }
  - { id: second, base_url: "${secondUrl}" }
models:
  - id: small
    routes: [{ upstream: first, model: a }, { upstream: second, model: b }]
    input_price: ${price}
    output_price: 1
    context_window: 100
    max_output_tokens: 50`,
    {},
  );

it('a running gateway follows the catalogue, keeps unchanged clients, and closes the others without waiting', async () => {
  await applyCatalog(db.pool, catalogOf('http://127.0.0.1:10/v1', '1'));
  const closed: string[] = [];
  const loaded: number[] = [];
  const createClient = (upstream: Upstream): UpstreamClient => ({
    ...createUpstreamClient({ upstream, secret: undefined, onCircuitChange: () => undefined }),
    // Never resolves, as for a client with a running stream.
    close: () => {
      closed.push(upstream.baseUrl);
      return new Promise<void>(() => undefined);
    },
  });
  const catalog = await openLiveCatalog({
    pool: db.servicePool,
    createClient,
    pollMs: 20,
    onLoaded: ({ version }) => loaded.push(version),
    onError: (error) => {
      throw error;
    },
  });
  const before = catalog.current;

  await applyCatalog(db.pool, catalogOf('http://127.0.0.1:11/v1', '2'));
  while (loaded.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(catalog.current.snapshot.models.get('small')?.price.inputPricePico).toBe(2_000_000n);
  expect(catalog.current.clients.get('first')).toBe(before.clients.get('first'));
  expect(catalog.current.clients.get('second')).not.toBe(before.clients.get('second'));

  await applyCatalog(db.pool, catalogOf('http://127.0.0.1:12/v1', '3'));
  while (loaded.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(loaded).toEqual([1, 2, 3]);
  expect(closed).toEqual(['http://127.0.0.1:10/v1', 'http://127.0.0.1:11/v1']);
  void catalog.close();
});

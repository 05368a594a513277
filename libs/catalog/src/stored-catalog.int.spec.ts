import { toPicoUsd } from '@farebox/money';
import { createTestDatabase, type TestDatabase } from '@farebox/testing';
import type { Model } from './catalog';
import { parseCatalog } from './catalog-file';
import { diffCatalog } from './diff-catalog';
import { findPriceVersion, type Price, readPrices, readPricesOfPeriod } from './price';
import { applyCatalog, listPrices, readCatalog, readCatalogWithCosts } from './stored-catalog';

const catalogOf = (inputPrice: string, modelIds = ['small', 'large']) =>
  parseCatalog(
    `
upstreams:
  - { id: first, base_url: "http://first/v1", max_tokens_field: max_completion_tokens, prompt_cache: cache_salt }
  - { id: second, base_url: "http://second/v1" }
models:
${modelIds
  .map(
    (id) => `
  - id: ${id}
    routes: [{ upstream: second, model: a }, { upstream: first, model: b }]
    input_price: ${inputPrice}
    output_price: 2
    context_window: 100
    max_output_tokens: 50
    visibility: { cohorts: [beta] }`,
  )
  .join('')}
`,
    {},
  );

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(async () => {
  await db.drop();
});

it('reading back gives the applied catalogue, with new price versions only for changed prices', async () => {
  expect(await applyCatalog(db.pool, catalogOf('1'))).toEqual({
    models: 2,
    upstreams: 2,
    newPrices: 2,
    version: 1,
  });
  expect(await applyCatalog(db.pool, catalogOf('1'))).toMatchObject({ newPrices: 0, version: 2 });
  const before = await readCatalog(db.pool);
  expect(await applyCatalog(db.pool, catalogOf('1.5', ['small']))).toMatchObject({
    newPrices: 1,
    version: 3,
  });
  const after = await readCatalog(db.pool);

  expect(after.version).toBe(3);
  expect(after.upstreams.get('first')).toMatchObject({
    maxTokensField: 'max_completion_tokens',
    promptCache: 'cache_salt',
  });
  expect(after.models.get('small')).toMatchObject({
    routes: [
      { upstreamId: 'second', upstreamModel: 'a', weight: 1, priority: 0 },
      { upstreamId: 'first', upstreamModel: 'b', weight: 1, priority: 1 },
    ],
    price: { inputPricePico: 1_500_000n, outputPricePico: 2_000_000n },
    visibility: { to: 'cohorts', cohorts: ['beta'] },
  });
  expect(after.models.get('small')?.price.id).not.toBe(before.models.get('small')?.price.id);
  expect(after.models.get('large')).toMatchObject({ visibility: { to: 'disabled' }, routes: [] });
});

it('every price field survives a round trip, and a change of any makes a new version', async () => {
  const prices = {
    ...{ cached_input_price: '0.1', cache_write_price: '1.25', reasoning_price: '3' },
    ...{ request_price: '0.000000001', image_price: '9999.999999999' },
  };
  const step = (input: string): string =>
    `[{ above_prompt_tokens: 50, input_price: ${input}, output_price: 4, cached_input_price: 0.2, cache_write_price: 2, reasoning_price: 5 }]`;
  const catalogWith = (given: Record<string, string>) =>
    parseCatalog(
      `
upstreams: [{ id: first, base_url: "http://first/v1" }]
models:
  - id: whole
    routes: [{ upstream: first, model: a }]
    input_price: 1
    output_price: 2
    context_window: 100
    max_output_tokens: 50
    modalities: [text, image]
    image_tokens: 10
${Object.entries(given)
  .map(([name, price]) => `    ${name}: ${price}`)
  .join('\n')}
`,
      {},
    );
  const all = { ...prices, price_steps: step('3') };
  const wanted = catalogWith(all);
  await applyCatalog(db.pool, wanted);
  const stored = (await readCatalog(db.pool)).models.get('whole')?.price;
  expect(stored).toEqual({ ...wanted.models[0]?.price, id: stored?.id });
  const [listed] = await listPrices(db.pool, { modelId: 'whole', limit: 1 });
  expect(listed).toMatchObject({ ...wanted.models[0]?.price });
  expect(await findPriceVersion(db.pool, stored?.id ?? '')).toEqual({
    ...stored,
    startsAt: listed?.startsAt,
  });
  expect(await applyCatalog(db.pool, wanted)).toMatchObject({ newPrices: 0 });
  expect(diffCatalog(await readCatalog(db.pool), wanted)).toEqual([]);

  for (const name of Object.keys(prices)) {
    expect(await applyCatalog(db.pool, catalogWith({ ...all, [name]: '0.07' }))).toMatchObject({
      newPrices: 1,
    });
    await applyCatalog(db.pool, wanted);
  }
  const changed = catalogWith({ ...all, price_steps: step('3.5') });
  expect(diffCatalog(await readCatalog(db.pool), changed)).toMatchObject([
    { id: 'whole', fields: [{ field: 'price_steps' }] },
  ]);
  expect(await applyCatalog(db.pool, changed)).toMatchObject({ newPrices: 1 });
});

it('models keep the order of the file, and a change of order alone is applied', async () => {
  const served = async () => [...(await readCatalog(db.pool)).models.values()].filter(isOffered);
  const isOffered = ({ visibility }: Model) => visibility.to !== 'disabled';
  for (const ids of [
    ['z', 'small', 'a'],
    ['small', 'a', 'z'],
  ]) {
    await applyCatalog(db.pool, catalogOf('1', ids));
    expect((await served()).map(({ id }) => id)).toEqual(ids);
  }
  const other = catalogOf('1', ['z', 'small', 'a']);
  expect(diffCatalog(await readCatalog(db.pool), other)).toEqual([
    {
      ...{ kind: 'catalog', id: 'models', change: 'changed' },
      fields: [{ field: 'order', before: 'small, a, z', after: 'z, small, a' }],
    },
  ]);
});

it('models written by the former version are listed chat first, by id', async () => {
  await applyCatalog(db.pool, catalogOf('1', ['z', 'b', 'a']));
  await db.pool.query(`UPDATE model SET position = DEFAULT`);
  await db.pool.query(`UPDATE model SET kind = 'embeddings' WHERE id = 'a'`);
  const ids = [...(await readCatalog(db.pool)).models.keys()];
  expect(ids.filter((id) => ['z', 'b', 'a'].includes(id))).toEqual(['b', 'z', 'a']);
});

it('prices in the database cannot be changed', async () => {
  await expect(db.pool.query('UPDATE price_version SET input_price_pico = 0')).rejects.toThrow('append-only');
});

it('an applied catalogue has no difference from its file', async () => {
  const catalog = catalogOf('4', ['small', 'medium']);
  expect(diffCatalog(await readCatalog(db.pool), catalog)).not.toEqual([]);
  await applyCatalog(db.pool, catalog);
  expect(diffCatalog(await readCatalog(db.pool), catalog)).toEqual([]);
});

it('every former price of a model is listed with the time when the next one began', async () => {
  await applyCatalog(db.pool, catalogOf('7', ['priced']));
  await applyCatalog(db.pool, catalogOf('8', ['priced']));
  const [now, before, ...more] = await listPrices(db.pool, { modelId: 'priced', limit: 10 });
  expect([now?.inputPricePico, before?.inputPricePico, more]).toEqual([8_000_000n, 7_000_000n, []]);
  expect(now?.endsAt).toBeNull();
  expect(before?.endsAt).toEqual(now?.startsAt);
  const all = await listPrices(db.pool, { modelId: undefined, limit: 1_000 });
  expect(new Set(all.map(({ modelId }) => modelId)).size).toBeGreaterThan(1);
  expect(await listPrices(db.pool, { modelId: undefined, limit: 1 })).toHaveLength(1);
});

it('the newest price is in force even if the clock of the database went back', async () => {
  const inputPrice = async () =>
    String((await readCatalog(db.pool)).models.get('small')?.price.inputPricePico);
  await applyCatalog(db.pool, catalogOf('3'));
  const newest = await inputPrice();
  // As after a failover to a server with a slow clock: the last change appears to lie an hour ahead.
  await db.pool.query(`
    ALTER TABLE price_version DISABLE TRIGGER USER;
    UPDATE price_version SET starts_at = starts_at + interval '1 hour';
    ALTER TABLE price_version ENABLE TRIGGER USER;
    UPDATE catalog_state SET applied_at = applied_at + interval '1 hour'`);
  expect(await inputPrice()).toBe(newest);
  expect(await applyCatalog(db.pool, catalogOf('4'))).toMatchObject({ newPrices: 2 });
  expect(BigInt(await inputPrice()) * 3n).toBe(BigInt(newest) * 4n);
});

it('a model may have a creation time after 2038', async () => {
  const { rows } = await db.pool.query<{ id: string }>(
    "UPDATE model SET created_at = '2040-01-01T00:00:00Z' RETURNING id",
  );
  const { models } = await readCatalog(db.pool);
  for (const { id } of rows) expect(models.get(id)?.createdAt).toBe(Date.UTC(2040, 0) / 1_000);
});

it('routes have weights and priorities; routes written by the former version are tried in their order', async () => {
  const catalog = catalogOf('4', ['small']);
  const [route, ...others] = catalog.models[0]?.routes ?? [];
  if (!route || !catalog.models[0]) throw new Error('the catalogue has no route');
  catalog.models[0].routes = [{ ...route, weight: 3, priority: 7 }, ...others];
  await applyCatalog(db.pool, catalog);
  expect((await readCatalog(db.pool)).models.get('small')?.routes).toEqual(catalog.models[0].routes);

  await db.pool.query('UPDATE model_route SET weight = DEFAULT, priority = DEFAULT');
  expect((await readCatalog(db.pool)).models.get('small')?.routes).toMatchObject([
    { weight: 1, priority: 0 },
    { weight: 1, priority: 1 },
  ]);
});

it('route costs are read only on request, and their change is a difference', async () => {
  const catalog = catalogOf('4', ['small']);
  const model = catalog.models[0];
  const cost = { ...model?.price, imagePricePico: toPicoUsd(5_000n) } as Price;
  if (model) model.routes = model.routes.map((route, at) => (at === 1 ? { ...route, cost } : route));
  expect(diffCatalog(await readCatalogWithCosts(db.pool), catalog)[0]?.fields[0]?.after).toContain(
    'first/b (cost: input_price 4, output_price 2, image_price 0.000000005)',
  );
  await applyCatalog(db.pool, catalog);
  expect(diffCatalog(await readCatalogWithCosts(db.pool), catalog)).toEqual([]);
  const routes = (await readCatalog(db.pool)).models.get('small')?.routes;
  expect(routes?.map((route) => 'cost' in route)).toEqual([false, false]);

  await applyCatalog(db.pool, catalogOf('4', ['small']));
  expect((await db.pool.query('SELECT 1 FROM route_cost')).rowCount).toBe(0);
});

it('the cost of a usage follows from a price version, including steps', async () => {
  const stepped = (inputPrice: string) =>
    parseCatalog(
      `
upstreams: [{ id: first, base_url: "http://first/v1" }]
models:
  - id: stepped
    routes: [{ upstream: first, model: a }]
    input_price: ${inputPrice}
    output_price: 2
    cached_input_price: 0.1
    request_price: 0.001
    price_steps: [{ above_prompt_tokens: 50, input_price: 3, output_price: 4, cached_input_price: 0.5 }]
    context_window: 100
    max_output_tokens: 50
    visibility: public`,
      {},
    );
  const ids: string[] = [];
  for (const inputPrice of ['1', '1.5']) {
    await applyCatalog(db.pool, stepped(inputPrice));
    ids.push((await readCatalog(db.pool)).models.get('stepped')?.price.id ?? '');
  }
  const none = '00000000-0000-7000-8000-000000000000';
  const versions = await readPrices(db.pool, [...ids, none]);
  expect([...versions.keys()].sort()).toEqual([...ids].sort());
  const costs = ids.map((id) => {
    const version = versions.get(id);
    expect(version?.modelId).toBe('stepped');
    return [10, 60].map((promptTokens) =>
      version?.costOf({ promptTokens, completionTokens: 1, cachedTokens: 4 }),
    );
  });
  expect(costs).toEqual([
    [1_008_400n, 1_174_000n],
    [1_011_400n, 1_174_000n],
  ]);
});

it('the prices of a month are those that began in it, and the one that it began with', async () => {
  const modelId = 'dated';
  await givenModel(modelId);
  const at = (day: string): Date => new Date(`${day}T00:00:00Z`);
  for (const [price, day] of [
    [1, '2026-01-05'],
    [2, '2026-02-01'],
    [3, '2026-02-14'],
    [4, '2026-03-01'],
  ] as const)
    await db.pool.query(
      `INSERT INTO price_version (id, model_id, input_price_pico, output_price_pico, starts_at)
       VALUES (gen_random_uuid(), $1, $2, 0, $3)`,
      [modelId, price, at(day)],
    );
  const pricesIn = async (from: string, until: string) => {
    const prices = await readPricesOfPeriod(db.pool, [modelId], { from: at(from), until: at(until) });
    return prices.get(modelId)?.map(({ inputPricePico }) => inputPricePico);
  };
  expect(await pricesIn('2025-12-01', '2026-01-01')).toBeUndefined();
  expect(await pricesIn('2026-01-01', '2026-02-01')).toEqual([1n]);
  expect(await pricesIn('2026-02-01', '2026-03-01')).toEqual([2n, 3n]);
  expect(await pricesIn('2026-02-10', '2026-03-01')).toEqual([2n, 3n]);
  expect(await pricesIn('2026-03-01', '2026-04-01')).toEqual([4n]);
});

async function givenModel(modelId: string): Promise<void> {
  await applyCatalog(
    db.pool,
    parseCatalog(
      `
upstreams: [{ id: first, base_url: "http://first/v1" }]
models:
  - id: ${modelId}
    routes: [{ upstream: first, model: a }]
    input_price: 9
    output_price: 9
    context_window: 100
    max_output_tokens: 50`,
      {},
    ),
  );
}

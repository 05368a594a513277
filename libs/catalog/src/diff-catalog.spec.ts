import type { Catalog, CatalogSnapshot, Model } from './catalog';
import { parseCatalog } from './catalog-file';
import { diffCatalog } from './diff-catalog';

const FILE = `
upstreams:
  - { id: near, base_url: "http://near/v1" }
  - { id: far, base_url: "http://far/v1", api_key_env: FAR_KEY }
models:
  - id: small
    routes: [{ upstream: near, model: s }]
    input_price: 0.15
    output_price: 0.60
    context_window: 100
    max_output_tokens: 50
  - id: large
    routes: [{ upstream: near, model: l }, { upstream: far, model: l2 }]
    input_price: 3
    output_price: 15
    context_window: 200
    max_output_tokens: 50
    visibility: { cohorts: [beta] }
`;

const parse = (yaml: string): Catalog => parseCatalog(yaml, {});

/** The catalogue that the database has after applying it. */
function applied({ upstreams, models }: Catalog): CatalogSnapshot {
  const served = models.map((model): Model => ({
    ...model,
    price: { ...model.price, id: 'price' },
    createdAt: 0,
  }));
  return {
    version: 1,
    upstreams: new Map(upstreams.map((one) => [one.id, one])),
    models: new Map(served.map((one) => [one.id, one])),
  };
}

describe('the difference that applying a file would make', () => {
  it('is empty after the file was applied', () => {
    expect(diffCatalog(applied(parse(FILE)), parse(FILE))).toEqual([]);
  });

  it('names the fields that change, prices in dollars per million tokens', () => {
    const changed = FILE.replace('input_price: 0.15', 'input_price: 0.2').replace(
      'http://far',
      'https://far',
    );
    expect(diffCatalog(applied(parse(FILE)), parse(changed))).toEqual([
      {
        ...{ kind: 'upstream', id: 'far', change: 'changed' },
        fields: [{ field: 'base_url', before: 'http://far/v1', after: 'https://far/v1' }],
      },
      {
        ...{ kind: 'model', id: 'small', change: 'changed' },
        fields: [{ field: 'input_price', before: '0.15', after: '0.2' }],
      },
    ]);
  });

  it('includes the order of routes and the visibility of a model', () => {
    const changed = FILE.replace(
      '[{ upstream: near, model: l }, { upstream: far, model: l2 }]',
      '[{ upstream: far, model: l2 }, { upstream: near, model: l }]',
    ).replace('{ cohorts: [beta] }', 'public');
    const [change] = diffCatalog(applied(parse(FILE)), parse(changed));
    expect(change?.fields).toEqual([
      { field: 'routes', before: 'near/l, far/l2', after: 'far/l2, near/l' },
      { field: 'visibility', before: 'cohorts: beta', after: 'public' },
    ]);
  });

  it('includes the order of models, naming only those that moved', () => {
    const fileOf = (...ids: string[]) =>
      parse(FILE.replace(/models:[^]*/, `models:${ids.map(entryOf).join('')}`));
    const entryOf = (id: string) =>
      `\n  - { id: ${id}, kind: embeddings, routes: [{ upstream: near, model: x }], input_price: 1, context_window: 9 }`;
    const orderOf = (before: string[], after: string[]) =>
      diffCatalog(applied(fileOf(...before)), fileOf(...after)).filter(({ kind }) => kind === 'catalog');
    expect(orderOf(['a', 'b', 'c', 'd', 'e'], ['a', 'd', 'b', 'c', 'e'])).toEqual([
      {
        ...{ kind: 'catalog', id: 'models', change: 'changed' },
        fields: [{ field: 'order', before: 'b, c, d', after: 'd, b, c' }],
      },
    ]);
    // Adding or removing a model moves no other.
    expect(orderOf(['a', 'b', 'c'], ['x', 'a', 'y', 'c'])).toEqual([]);
  });

  it('disables a model that is not in the file, once, and forgets its upstream', () => {
    const [upstreams, models] = [/ {2}- \{ id: far.*\n/, / {2}- id: large[\s\S]*$/];
    const smaller = parse(FILE.replace(upstreams, '').replace(models, ''));
    const current = applied(parse(FILE));
    expect(diffCatalog(current, smaller)).toEqual([
      { kind: 'upstream', id: 'far', change: 'removed', fields: [] },
      { kind: 'model', id: 'large', change: 'disabled', fields: [] },
    ]);
    const large = current.models.get('large');
    if (!large) throw new Error('there is no large');
    const disabled = new Map([...current.models, ['large', { ...large, visibility: { to: 'disabled' } }]]);
    expect(diffCatalog({ ...current, models: disabled }, smaller).map(({ id }) => id)).toEqual(['far']);
  });

  it('adds everything to nothing', () => {
    const nothing = { version: 0, upstreams: new Map(), models: new Map() } as CatalogSnapshot;
    const changes = diffCatalog(nothing, parse(FILE));
    expect(changes.map(({ id, change }) => [id, change])).toEqual([
      ...[
        ['far', 'added'],
        ['near', 'added'],
        ['large', 'added'],
        ['small', 'added'],
      ],
    ]);
    expect(changes[0]?.fields).toContainEqual({ field: 'api_key_env', before: null, after: 'FAR_KEY' });
    // Fields that the file does not set are no change.
    expect(changes[1]?.fields.map(({ field }) => field)).not.toContain('api_key_env');
  });
});

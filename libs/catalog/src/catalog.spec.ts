import { toPicoUsd } from '@farebox/money';
import {
  accessModel,
  listAccessibleModels,
  type CatalogSnapshot,
  type Model,
  type Visibility,
} from './catalog';

function aModel(id: string, visibility: Visibility): Model {
  return {
    id,
    kind: 'chat',
    ownedBy: 'farebox',
    routes: [],
    contextWindow: 10,
    maxOutputTokens: 10,
    defaultMaxOutputTokens: undefined,
    tokenizer: undefined,
    modalities: ['text'],
    imageTokens: undefined,
    fileTokens: undefined,
    extraFields: [],
    promptOverhead: { prompt: 0, message: 0, tools: 0 },
    visibility,
    price: { id: 'p', inputPricePico: toPicoUsd(1n), outputPricePico: toPicoUsd(1n) },
    createdAt: 0,
  };
}

const models = [
  aModel('open', { to: 'public' }),
  aModel('off', { to: 'disabled' }),
  aModel('founders', { to: 'cohorts', cohorts: ['founders'] }),
];
const catalog: CatalogSnapshot = {
  version: 1,
  upstreams: new Map(),
  models: new Map(models.map((m) => [m.id, m])),
};
const caller = { cohortName: 'beta', modelPolicy: null };

describe('access to a model', () => {
  it.each(['missing', 'off', 'founders'])('gives no reason why %s is missing', (id) => {
    expect(accessModel(catalog, id, caller)).toEqual({ outcome: 'model_not_found' });
  });

  it('is granted to its cohort', () => {
    expect(accessModel(catalog, 'founders', { ...caller, cohortName: 'founders' }).outcome).toBe('granted');
  });

  it("follows the key's own list, within the models of the account", () => {
    const blocked = { ...caller, modelPolicy: { mode: 'block' as const, models: ['open', 'off'] } };
    expect(accessModel(catalog, 'open', blocked)).toEqual({ outcome: 'model_not_allowed' });
    expect(accessModel(catalog, 'off', blocked)).toEqual({ outcome: 'model_not_found' });
    const allowed = { ...caller, modelPolicy: { mode: 'allow' as const, models: ['founders'] } };
    expect(accessModel(catalog, 'open', allowed)).toEqual({ outcome: 'model_not_allowed' });
    expect(accessModel(catalog, 'founders', allowed)).toEqual({ outcome: 'model_not_found' });
  });

  it('lists exactly the models that a request would be admitted for', () => {
    const founder = { cohortName: 'founders', modelPolicy: { mode: 'block' as const, models: ['open'] } };
    expect(listAccessibleModels(catalog, caller).map((m) => m.id)).toEqual(['open']);
    expect(listAccessibleModels(catalog, founder).map((m) => m.id)).toEqual(['founders']);
  });

  it('lists models in the order of the catalogue', () => {
    const ids = ['b', 'c', 'a'];
    const models = new Map(ids.map((id) => [id, aModel(id, { to: 'public' })]));
    expect(listAccessibleModels({ ...catalog, models }, caller).map(({ id }) => id)).toEqual(ids);
  });
});

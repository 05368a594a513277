import { applyCatalog, parseCatalog } from '@farebox/catalog';
import type { Pool } from 'pg';

/** Whom a model is for: `public`, `disabled`, or `{ cohorts: [beta] }`. */
type GivenModels = Readonly<Record<string, string>>;

/** Makes these models the catalogue, by their ids; those of the catalogue before are disabled. */
export async function givenModels(pool: Pool, models: GivenModels): Promise<void> {
  const lines = Object.entries(models).map(
    ([id, visibility]) =>
      `  - { id: ${id}, routes: [{ upstream: sim, model: x }], input_price: 1, output_price: 2, ` +
      `context_window: 8192, max_output_tokens: 4096, visibility: ${visibility} }`,
  );
  const text = ['upstreams:', '  - { id: sim, base_url: "http://127.0.0.1:9/v1" }', 'models:', ...lines];
  await applyCatalog(pool, parseCatalog(text.join('\n'), {}));
}

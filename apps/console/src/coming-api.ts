import type { components, paths } from '@farebox/client';
import type { Client } from 'openapi-fetch';

// What the API is about to get, as it will be generated. This file goes with the last of it.

type Schemas = components['schemas'];

export type UsageRecord = Omit<Schemas['UsageRecord'], 'outcome' | 'model'> & {
  model: string | null;
  outcome: Schemas['UsageRecord']['outcome'] | 'failed' | 'refused';
  error_code: Schemas['ErrorFields']['code'] | null;
};

interface List<Row> {
  object: 'list';
  data: Row[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

interface Read<Parameters, Body> {
  get: {
    parameters: Parameters;
    responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Body } } };
  };
}

type Known<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? NonNullable<Query>
  : never;

interface Coming {
  '/v1/usage': Read<
    { query?: Known<'/v1/usage'> & { outcome?: UsageRecord['outcome'] | 'all' } },
    List<UsageRecord>
  >;
  '/v1/usage/{usage_id}': Read<{ path: { usage_id: string } }, UsageRecord>;
}

/** Some operations have CSV or a PDF as well, which the console never reads itself. */
export type ComingClient = Client<Omit<paths, keyof Coming> & Coming, 'application/json'>;

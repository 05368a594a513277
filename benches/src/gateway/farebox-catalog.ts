import { AGENTS } from './agent-answers';
import type { Upstream } from './contestants';
import { WIRE_PATHS, type Wire } from './conversation';
import { SLOW } from './upstream-answers';

/** The first is "bench", the second "bench-2". */
export function modelNameOf(index: number): string {
  return index === 0 ? 'bench' : `bench-${String(index + 1)}`;
}

interface Model {
  name: string;
  /** Further fields of the upstreams in its routes, in order of priority. Each belongs to this model alone. */
  upstreams: string[];
}

export interface CatalogOptions {
  /** Number of plain models, see `modelNameOf`. Default: one. */
  models?: number;
  /** An upstream that may go down. */
  failingOrigin?: string;
}

/** The catalogue. A gateway keeps the calls and connections of its upstreams separate. */
export function toCatalog(upstream: Upstream, options: CatalogOptions): string {
  const named = modelsOf(upstream, options).map(({ name, upstreams }) => ({
    name,
    upstreams: upstreams.map((fields, i) => ({ id: i === 0 ? name : `${name}-${String(i + 1)}`, fields })),
  }));
  const upstreams = named.flatMap((model) => model.upstreams);
  return `upstreams:
${upstreams.map(({ id, fields }) => `  - { id: ${id}, ${fields} }\n`).join('')}models:
${named.map(toModel).join('')}`;
}

/** The prices let one customer pay for all; a long prompt fits into the window. */
const toModel = ({ name, upstreams }: { name: string; upstreams: { id: string }[] }): string => `
  - id: ${name}
    routes: [${upstreams.map(({ id }, i) => `{ upstream: ${id}, model: bench, priority: ${String(i)} }`).join(', ')}]
    input_price: 1
    cached_input_price: 0.1
    output_price: 2
    context_window: 1000000
    max_output_tokens: 4096
    default_max_output_tokens: 256
    tokenizer: o200k_base
`;

/** Plain ones, one for agents on each wire, and one whose first upstream may fail. */
function modelsOf({ origin }: Upstream, { models = 1, failingOrigin = origin }: CatalogOptions): Model[] {
  const slow = (of: string): string => `base_url: "${of}${SLOW}/v1"`;
  return [
    ...Array.from({ length: models }, (_, index) => ({
      name: modelNameOf(index),
      upstreams: [`base_url: "${origin}/v1"`],
    })),
    ...(Object.keys(WIRE_PATHS) as Wire[]).map((wire) => ({
      name: agentModelOf(wire),
      upstreams: [`base_url: "${origin}${AGENTS}/v1", wire: ${wire}, prompt_cache: shared`],
    })),
    { name: FAILING_MODEL, upstreams: [slow(failingOrigin), slow(origin)] },
  ];
}

/** The model for agents whose upstream speaks this. */
export const agentModelOf = (upstream: Wire): string => `agent-${upstream}`;
/** The model with two upstreams, of which the first may go down. */
export const FAILING_MODEL = 'failing';

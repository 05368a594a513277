import {
  type Catalog,
  type CatalogSnapshot,
  type ExtraField,
  type ModelDefinition,
  type PromptOverhead,
  toRoutesText,
  type Upstream,
  type Visibility,
} from './catalog';
import { toDialectText } from './dialect';
import type { Price } from './price';
import { priceTexts } from './price-fields';

/** A field of an entry, by its name in the catalogue file; null if it is not set. */
interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
}

/** The effect of applying on one entry. A model that is not in the file is disabled, an upstream deleted. */
export interface CatalogChange {
  kind: 'upstream' | 'model' | 'catalog';
  /** `models` for changes that concern no single entry. */
  id: string;
  change: 'added' | 'changed' | 'disabled' | 'removed';
  fields: FieldChange[];
}

type Fields = Record<string, string | null>;

/**
 * The changes that applying a catalogue file would make: upstreams first, then models, each by id, then the
 * order of the models. Empty if nothing would change.
 */
export function diffCatalog(current: CatalogSnapshot, wanted: Catalog): CatalogChange[] {
  return [
    ...diffEntries('upstream', entriesOf(current.upstreams.values(), fieldsOfUpstream), {
      wanted: entriesOf(wanted.upstreams, fieldsOfUpstream),
      whenMissing: 'removed',
    }),
    ...diffEntries('model', entriesOf(current.models.values(), fieldsOfModel), {
      wanted: entriesOf(wanted.models, fieldsOfModel),
      whenMissing: 'disabled',
    }),
    ...diffOrder(current, wanted),
  ];
}

/** Models offered both before and after; only the range between the first and the last that moved. */
function diffOrder(current: CatalogSnapshot, wanted: Catalog): CatalogChange[] {
  const isOffered = (id: string): boolean =>
    (current.models.get(id)?.visibility.to ?? 'disabled') !== 'disabled';
  const after = wanted.models.map(({ id }) => id).filter(isOffered);
  const kept = new Set(after);
  const before = [...current.models.keys()].filter((id) => kept.has(id));
  const movedAt = after.flatMap((id, at) => (id === before[at] ? [] : [at]));
  const [first, last] = [movedAt.at(0), movedAt.at(-1)];
  if (first === undefined || last === undefined) return [];
  const [moved, to] = [before, after].map((ids) => ids.slice(first, last + 1).join(', '));
  const fields = [{ field: 'order', before: moved ?? null, after: to ?? null }];
  return [{ kind: 'catalog', id: 'models', change: 'changed', fields }];
}

function diffEntries(
  kind: CatalogChange['kind'],
  current: ReadonlyMap<string, Fields>,
  { wanted, whenMissing }: { wanted: ReadonlyMap<string, Fields>; whenMissing: 'disabled' | 'removed' },
): CatalogChange[] {
  const changes: CatalogChange[] = [];
  for (const id of [...new Set([...current.keys(), ...wanted.keys()])].sort()) {
    const [before, after] = [current.get(id), wanted.get(id)];
    if (!after) {
      if (before?.['visibility'] !== 'disabled') changes.push({ kind, id, change: whenMissing, fields: [] });
      continue;
    }
    const fields = diffFields(before ?? {}, after);
    if (fields.length > 0) changes.push({ kind, id, change: before ? 'changed' : 'added', fields });
  }
  return changes;
}

function diffFields(before: Fields, after: Fields): FieldChange[] {
  return Object.entries(after)
    .map(([field, value]) => ({ field, before: before[field] ?? null, after: value }))
    .filter((change) => change.before !== change.after);
}

function entriesOf<Entry extends { id: string }>(
  entries: Iterable<Entry>,
  fieldsOf: (entry: Entry) => Fields,
): Map<string, Fields> {
  return new Map(Array.from(entries, (entry) => [entry.id, fieldsOf(entry)]));
}

function fieldsOfUpstream(upstream: Upstream): Fields {
  return {
    base_url: upstream.baseUrl,
    api_key_env: upstream.apiKeyEnv ?? null,
    max_tokens_field: upstream.maxTokensField,
    wire: upstream.wire,
    dialect: toDialectText(upstream.dialect),
    prompt_cache: upstream.promptCache,
    connect_timeout_ms: String(upstream.connectTimeoutMs),
    first_byte_timeout_ms: String(upstream.firstByteTimeoutMs),
    idle_timeout_ms: String(upstream.idleTimeoutMs),
    total_timeout_ms: String(upstream.totalTimeoutMs),
  };
}

function fieldsOfModel(model: ModelDefinition & { price: Price }): Fields {
  return {
    kind: model.kind,
    owned_by: model.ownedBy,
    routes: toRoutesText(model.routes),
    ...priceTexts(model.price),
    context_window: String(model.contextWindow),
    max_output_tokens: String(model.maxOutputTokens),
    default_max_output_tokens: toText(model.defaultMaxOutputTokens),
    tokenizer: model.tokenizer ?? null,
    modalities: model.modalities.join(', '),
    image_tokens: toText(model.imageTokens),
    file_tokens: toText(model.fileTokens),
    prompt_overhead: toOverheadText(model.promptOverhead),
    extra_fields: toExtraFieldsText(model.extraFields),
    visibility: toVisibilityText(model.visibility),
  };
}

function toOverheadText({ prompt, message, tools }: PromptOverhead): string {
  return `prompt: ${String(prompt)}, message: ${String(message)}, tools: ${String(tools)}`;
}

function toExtraFieldsText(fields: readonly ExtraField[]): string | null {
  const texts = fields.map(({ name, promptTokens }) =>
    promptTokens === 0 ? name : `${name} (${String(promptTokens)})`,
  );
  return texts.length === 0 ? null : texts.join(', ');
}

function toVisibilityText(visibility: Visibility): string {
  return visibility.to === 'cohorts' ? `cohorts: ${visibility.cohorts.join(', ')}` : visibility.to;
}

function toText(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}

import { scrub } from '../scrub';

/**
 * Everything that a span may carry, and of what kind: like the fields of the log, a closed set, so that no header,
 * prompt or secret comes into a trace by accident. Of a customer there is the id of his request, and nothing else.
 */
export const SPAN_ATTRIBUTES = {
  'http.request.method': 'string',
  'http.route': 'string',
  'http.response.status_code': 'number',
  /** A public error code, or the kind of an upstream's failure. */
  'error.type': 'string',
  'farebox.request_id': 'string',
  'farebox.model': 'string',
  'farebox.upstream': 'string',
  'farebox.upstream_model': 'string',
  'farebox.streamed': 'boolean',
  'farebox.outcome': 'string',
  'farebox.prompt_tokens': 'number',
  'farebox.completion_tokens': 'number',
  'farebox.first_token_ms': 'number',
  'farebox.queue': 'string',
  'farebox.job': 'string',
  'farebox.job_id': 'string',
} as const satisfies Record<string, 'string' | 'number' | 'boolean'>;

interface Kinds {
  string: string;
  number: number;
  boolean: boolean;
}

export type SpanAttributes = {
  readonly [Name in keyof typeof SPAN_ATTRIBUTES]?: Kinds[(typeof SPAN_ATTRIBUTES)[Name]] | undefined;
};

const LONGEST_TEXT = 256;
/** A map, not an object: `constructor` and `__proto__` must not be found. */
const KINDS = new Map<string, string>(Object.entries(SPAN_ATTRIBUTES));

/** The attributes that may be exported, as they are exported. All else is left out. */
export function toExportedAttributes(attributes: SpanAttributes): Record<string, string | number | boolean> {
  const exported: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || typeof value !== KINDS.get(name)) continue;
    exported[name] = typeof value === 'string' ? scrub(value, LONGEST_TEXT) : value;
  }
  return exported;
}

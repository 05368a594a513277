import { shortProse, type Sequence } from './text';

type Schema = Readonly<Record<string, unknown>>;

/** What one document is filled with. `valuesLeft` bounds it, since a small schema can describe a huge document. */
interface Filling {
  root: Schema;
  next: Sequence;
  valuesLeft: number;
}

/** Below this, arrays stay empty and the last alternative is taken, so that most recursive schemas come to an end. */
const DEEP = 5;
const DEEPEST = 10;
const MOST_VALUES = 1_000;
const LONGEST_STRING = 1_000;

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows a reference inside the document, `#` or `#/$defs/name`. */
function resolve(schema: Schema, root: Schema): Schema {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#')) return schema;
  let found: unknown = root;
  for (const step of schema.$ref.split('/').slice(1)) found = isSchema(found) ? found[step] : undefined;
  return isSchema(found) && found !== schema ? found : {};
}

function integerFor({ minimum, maximum }: Schema, next: Sequence): number {
  const lowest = typeof minimum === 'number' ? Math.ceil(minimum) : Math.min(0, Number(maximum ?? 0));
  const highest = typeof maximum === 'number' ? Math.floor(maximum) : lowest + 99;
  return lowest + next(Math.max(1, highest - lowest + 1));
}

function stringFor({ minLength, maxLength }: Schema, next: Sequence): string {
  const [text = ''] = shortProse(String(next(1_000_000))).split('.');
  const least = typeof minLength === 'number' ? Math.min(minLength, LONGEST_STRING) : 0;
  return text.padEnd(least, '.').slice(0, typeof maxLength === 'number' ? maxLength : LONGEST_STRING);
}

function arrayFor({ items, minItems }: Schema, filling: Filling, depth: number): unknown[] {
  const least = typeof minItems === 'number' ? Math.min(minItems, MOST_VALUES) : 1;
  return Array.from({ length: depth > DEEP ? 0 : least }, () => fill(items, filling, depth + 1));
}

function objectFor({ properties }: Schema, filling: Filling, depth: number): Record<string, unknown> {
  const entries = Object.entries(isSchema(properties) ? properties : {});
  return Object.fromEntries(entries.map(([key, child]) => [key, fill(child, filling, depth + 1)]));
}

function ofType(schema: Schema, filling: Filling, depth: number): unknown {
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || isSchema(schema.properties)) return objectFor(schema, filling, depth);
  if (type === 'array') return arrayFor(schema, filling, depth);
  if (type === 'integer' || type === 'number') return integerFor(schema, filling.next);
  if (type === 'boolean') return filling.next(2) === 1;
  if (type === 'null') return null;
  return stringFor(schema, filling.next);
}

function fill(given: unknown, filling: Filling, depth: number): unknown {
  filling.valuesLeft -= 1;
  if (depth > DEEPEST || filling.valuesLeft < 0) return null;

  const schema = resolve(isSchema(given) ? given : {}, filling.root);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[filling.next(Math.max(1, schema.enum.length))];
  if (Array.isArray(alternatives)) return fill(alternatives.at(depth > DEEP ? -1 : 0), filling, depth + 1);
  return ofType(schema, filling, depth);
}

/** A value that fits the simple parts of a JSON Schema: types, enum, const, bounds, references, alternatives. */
export function valueFor(schema: unknown, next: Sequence): unknown {
  return fill(schema, { root: isSchema(schema) ? schema : {}, next, valuesLeft: MOST_VALUES }, 0);
}

import type { Json, JsonObject } from '../build/json';
import { html, inline, type Html } from './html';
import { isObject, listAt, objectAt, objectsIn, referredName, textAt } from '../read';

/** Fields deeper than this are shown as JSON Schema. */
const DEEPEST = 3;

/** A schema for a reader: its type in words, and the fields of an object as a table. */
export function schemaBlock(schema: JsonObject, depth = 0): Html {
  const fields = objectsIn(objectAt(schema, 'properties'));
  if (fields.length === 0) return html`<p>${typeOf(schema)}</p>`;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = fields.map(([name, field]) => fieldRow(name, field, required.includes(name), depth));
  return html`<table>
    <thead>
      <tr>
        <th>field</th>
        <th>type</th>
        <th>about</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function fieldRow(name: string, field: JsonObject, isRequired: boolean, depth: number): Html {
  const mark = isRequired ? html`` : html` <small>optional</small>`;
  return html`<tr>
    <td><code>${name}</code>${mark}</td>
    <td>${typeOf(field)}</td>
    <td>${inline(textAt(field, 'description'))}${nested(field, depth)}</td>
  </tr>`;
}

/** The objects inside of a field, folded. */
function nested(field: JsonObject, depth: number): Html | undefined {
  const inner = [field, objectAt(field, 'items'), ...alternatives(field)].filter(
    (schema) => Object.keys(objectAt(schema, 'properties')).length > 0,
  );
  if (inner.length === 0) return undefined;
  const shown =
    depth >= DEEPEST ? rawSchema(field) : html`${inner.map((schema) => schemaBlock(schema, depth + 1))}`;
  return html`<details>
    <summary>fields</summary>
    ${shown}
  </details>`;
}

const rawSchema = (schema: JsonObject): Html => html`<pre>${JSON.stringify(schema, undefined, 2)}</pre>`;

const alternatives = (schema: JsonObject): JsonObject[] => [
  ...listAt(schema, 'anyOf'),
  ...listAt(schema, 'oneOf'),
];

/** The type in words, with its bounds: `integer, 1 to 100`. A named schema is a link. */
export function typeOf(schema: JsonObject): Html {
  const name = referredName(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const choices = alternatives(schema);
  if (choices.length > 0) return joined(choices.map(typeOf), ' or ');
  if (schema['const'] !== undefined) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  const allowed = schema['enum'];
  if (Array.isArray(allowed)) {
    return joined(
      allowed.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' | ',
    );
  }
  const items = schema['items'];
  if (isObject(items)) return html`list of ${typeOf(items)}`;
  return html`${wordsOf(schema['type'])}${boundsOf(schema)}`;
}

function wordsOf(type: Json | undefined): string {
  if (Array.isArray(type)) return type.map(shown).join(' or ');
  return typeof type === 'string' ? type : 'anything';
}

function boundsOf({ minimum, maximum, maxLength, default: usual }: JsonObject): string {
  return rangeOf(minimum, maximum, maxLength) + (usual === undefined ? '' : `; default ${shown(usual)}`);
}

function rangeOf(minimum: Json | undefined, maximum: Json | undefined, maxLength: Json | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return `, ${shown(minimum)} to ${shown(maximum)}`;
  return maxLength === undefined ? '' : `, at most ${shown(maxLength)} characters`;
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function joined(pieces: Html[], separator: string): Html {
  return html`${pieces.map((piece, i) => (i === 0 ? piece : html`${separator}${piece}`))}`;
}

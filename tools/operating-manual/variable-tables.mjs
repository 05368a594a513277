import { describeDefault, describeValue, isRequired } from './describe-schema.mjs';
import { VARIABLE_MEANINGS } from './variable-meanings.mjs';

/** The variables in Markdown: a table a group, in the order of the meanings. */
export function variableTables(schemas) {
  return Object.entries(VARIABLE_MEANINGS)
    .map(([group, meanings]) => `### ${group}\n\n${tableOf(meanings, schemas)}`)
    .join('\n\n');
}

function tableOf(meanings, schemas) {
  const rows = Object.entries(meanings).map(([name, meaning]) => rowOf(name, meaning, schemas));
  return ['| variable | read by | value | default | meaning |', '| - | - | - | - | - |', ...rows].join('\n');
}

function rowOf(name, meaning, schemas) {
  const readers = Object.entries(schemas).filter(([, shape]) => name in shape);
  const apps = readers.map(([app]) => app).join(', ');
  const values = escaped(distinct(readers, ([, shape]) => describeValue(shape[name]) || 'any text'));
  const defaults = distinct(readers, ([, shape]) => defaultCell(shape[name]));
  const cells = [`\`${name}\``, apps, values, defaults, meaning].map((cell) => cell.replaceAll('|', '\\|'));
  return `| ${cells.join(' | ')} |`;
}

/** Markdown takes `<…>` for HTML. */
function escaped(text) {
  return text.replaceAll('<', '&lt;');
}

function defaultCell(schema) {
  if (isRequired(schema)) return '**required**';
  const value = describeDefault(schema);
  return value === undefined ? 'not set' : `\`${value}\``;
}

/** One answer for all of its readers, or each reader's own. */
function distinct(readers, describe) {
  const answers = readers.map((reader) => [reader[0], describe(reader)]);
  const all = [...new Set(answers.map(([, answer]) => answer))];
  return all.length === 1 ? all[0] : answers.map(([app, answer]) => `${app}: ${answer}`).join('; ');
}

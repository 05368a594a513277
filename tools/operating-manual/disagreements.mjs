import { isSentence } from './describe-schema.mjs';
import { VARIABLE_MEANINGS } from './variable-meanings.mjs';

/** Names that libs/config knows by their beginning alone. */
const KNOWN_BY_PREFIX = /^FAREBOX_EDGE_/;

/** What stands between the schemas, the list of known variables and the manual, one sentence each. */
export function disagreements(schemas, knownVariables) {
  const read = new Set(Object.values(schemas).flatMap((shape) => Object.keys(shape)));
  const meant = new Set(Object.values(VARIABLE_MEANINGS).flatMap((group) => Object.keys(group)));
  const known = (name) =>
    !name.startsWith('FAREBOX_') || KNOWN_BY_PREFIX.test(name) || knownVariables.includes(name);
  return [
    ...[...read]
      .filter((name) => !meant.has(name))
      .map((name) => `${name} has no meaning in tools/operating-manual/variable-meanings.mjs.`),
    ...[...meant]
      .filter((name) => !read.has(name))
      .map((name) => `${name} is in tools/operating-manual/variable-meanings.mjs, but nothing reads it.`),
    ...[...read]
      .filter((name) => !known(name))
      .map((name) => `${name} is not in libs/config/src/known-variables.ts.`),
    ...knownVariables
      .filter((name) => !read.has(name))
      .map((name) => `${name} is in libs/config/src/known-variables.ts, but nothing reads it.`),
    ...Object.entries(schemas).flatMap(([app, shape]) =>
      Object.keys(shape)
        .filter((name) => !isSentence(shape[name]))
        .map((name) => `${name} of ${app}: what is said of a wrong one must begin with "must".`),
    ),
  ];
}

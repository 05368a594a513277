type Fields = Readonly<Record<string, unknown>>;

/** Keywords whose value is data, in which `$ref` has no meaning. */
const DATA_KEYWORDS = new Set(['const', 'default', 'enum', 'examples']);

/** Long schemas that were checked in turns. */
const checked = new WeakMap<Fields, { problem: string | undefined }>();

/** The problem with the references of a schema, in the words of a refusal. */
export function findReferenceProblem(schema: Fields): string | undefined {
  const known = checked.get(schema);
  if (known) return known.problem;
  const walk = new ReferenceWalk(schema);
  walk.goOn(Infinity);
  return walk.problem;
}

/** A turn of the event loop takes up to 2 ms: the names of one object are listed at once. */
const MEMBERS_OF_TURN = 4_096;

/**
 * Checks the schemas of a long request in turns of the event loop. `findReferenceProblem` then knows the result, which
 * would take 10 ms for 29,000 nested objects. A schema in any other place is checked there, at once.
 */
export async function checkSchemas(request: unknown, pace: { giveWay(): Promise<void> }): Promise<void> {
  for (const schema of schemasOf(request)) {
    const walk = new ReferenceWalk(schema);
    while (walk.goOn(MEMBERS_OF_TURN)) await pace.giveWay();
    checked.set(schema, { problem: walk.problem });
  }
}

/** The fields of requests that contain schemas, and the names of schemas in them. */
const WITH_SCHEMAS = ['tools', 'response_format', 'text', 'output_config'];
const SCHEMAS = new Set(['parameters', 'input_schema', 'schema']);
/** Tools of a namespace: `tools[0].tools[0].parameters`. */
const DEEPEST = 6;

function schemasOf(request: unknown): Fields[] {
  const schemas: Fields[] = [];
  if (isObject(request)) for (const field of WITH_SCHEMAS) addSchemas(request[field], schemas, DEEPEST);
  return schemas;
}

function addSchemas(value: unknown, schemas: Fields[], depthLeft: number): void {
  if (!isObject(value) || depthLeft === 0) return;
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (SCHEMAS.has(name) && isObject(member)) schemas.push(member);
    else addSchemas(member, schemas, depthLeft - 1);
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/**
 * Looks for references that lead to no schema. A schema may have thousands of members. If each object has names of its
 * own, `for in` takes twice as long as `Object.keys`; if one object has thousands of names, `Object.entries` does.
 */
class ReferenceWalk {
  problem: string | undefined;
  readonly #root: Fields;
  /** References that are known to lead to a schema: each is followed only once. */
  readonly #ending = new Set<Fields>();
  readonly #open: Fields[];
  #object: Fields;
  #names: readonly string[] = [];
  #at = 0;

  constructor(root: Fields) {
    this.#root = root;
    this.#open = [root];
    this.#object = root;
  }

  /** Looks at this many members. Returns whether there are others, unless a problem was found. */
  goOn(members: number): boolean {
    for (let left = members; left > 0 && this.problem === undefined; left--) {
      const name = this.#names[this.#at++];
      if (name !== undefined) this.#lookAt(name);
      else if (!this.#goToNext()) return false;
    }
    return this.problem === undefined;
  }

  #goToNext(): boolean {
    const next = this.#open.pop();
    if (!next) return false;
    this.#object = next;
    this.#names = Object.keys(next);
    this.#at = 0;
    return true;
  }

  #lookAt(name: string): void {
    const member = this.#object[name];
    if (isObject(member)) {
      if (!DATA_KEYWORDS.has(name)) this.#open.push(member);
    } else if (name === '$ref' && isReference(this.#object)) this.problem = this.#follow(this.#object);
  }

  /** Follows a reference to its schema. */
  #follow(start: Reference): string | undefined {
    const followed = new Set<Fields>();
    let schema: unknown = start;
    while (isReference(schema) && !this.#ending.has(schema)) {
      if (!schema.$ref.startsWith('#')) return 'must not have a "$ref" to another document';
      if (followed.has(schema)) return 'must not have a "$ref" that leads back to itself';
      followed.add(schema);
      schema = resolve(schema.$ref, this.#root);
    }
    for (const reference of followed) this.#ending.add(reference);
    return undefined;
  }
}

/** The target of a reference inside the document; undefined if it does not exist or the reference is no pointer. */
function resolve(reference: string, root: Fields): unknown {
  const [start, ...steps] = reference.split('/');
  if (start !== '#') return undefined;
  let found: unknown = root;
  for (const step of steps) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

type Reference = Fields & { $ref: string };

function isReference(value: unknown): value is Reference {
  return isObject(value) && '$ref' in value && typeof value.$ref === 'string';
}

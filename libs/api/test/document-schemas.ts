import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { type OpenApiDocument } from '../src/document/document';
import { type JsonObject, objectAt } from '../src/document/json';

const DOCUMENT = 'farebox:openapi';
/** An OpenAPI document has more than schemas, so its other keywords are unknown here. */
const SETTINGS = { strict: false, allErrors: true, validateFormats: false };

/** The problems of a value by a schema; empty if there are none. */
export type Problems = string[];

/** The schemas of a document, compiled for validation. */
export class DocumentSchemas {
  readonly #ajv: Ajv2020;
  readonly #validators = new WeakMap<JsonObject, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    // One test checks the schemas themselves, not each file that validates a response with them.
    this.#ajv = new Ajv2020({ ...SETTINGS, meta: false, validateSchema: false });
    // All references lead into the components.
    this.#ajv.addSchema({ $id: DOCUMENT, components: document.components });
  }

  /** The problems of a value by a schema of the document. */
  problemsOf(schema: JsonObject, value: unknown): Problems {
    const validate = this.#validatorOf(schema);
    return validate(value) ? [] : (validate.errors ?? []).map(toProblem);
  }

  #validatorOf(schema: JsonObject): ValidateFunction {
    const known = this.#validators.get(schema);
    if (known) return known;
    // It is compiled separately from the document, which contains the targets of its references.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT}#/`);
    const validate = this.#ajv.compile(JSON.parse(text) as JsonObject);
    this.#validators.set(schema, validate);
    return validate;
  }
}

function toProblem({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath === '' ? 'the value' : instancePath} ${message ?? 'is not valid'} ${JSON.stringify(params)}`;
}

interface FoundOperation {
  /** As the document writes it. */
  path: string;
  /** In lower case. */
  method: string;
  operation: JsonObject;
}

interface FoundPath {
  /** Undefined if the path does not have the method. */
  found: FoundOperation | undefined;
  /** The methods of the path, in upper case; empty if the document does not have the path. */
  methods: string[];
}

/** The operation of a request. A literal path takes precedence over one with parameters. */
export function findOperation(document: OpenApiDocument, method: string, target: string): FoundPath {
  const asked = pathOf(target);
  const [path] = Object.keys(document.paths)
    .filter((pattern) => toRegExp(pattern).test(asked))
    .sort((a, b) => a.split('{').length - b.split('{').length);
  if (path === undefined) return { found: undefined, methods: [] };
  const item = document.paths[path] ?? {};
  const key = method === 'HEAD' ? 'get' : method.toLowerCase();
  const found = Object.hasOwn(item, key) ? { path, method: key, operation: objectAt(item, key) } : undefined;
  return { found, methods: Object.keys(item).map((name) => name.toUpperCase()) };
}

function pathOf(target: string): string {
  const path = target.startsWith('/') || !URL.canParse(target) ? target : new URL(target).pathname;
  return path.replace(/\?.*$/s, '');
}

function toRegExp(pattern: string): RegExp {
  const source = pattern
    .split(/\{\w+\}/)
    .map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]+');
  return new RegExp(`^${source}$`, 's');
}

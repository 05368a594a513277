import type { JsonObject, OpenApiDocument } from '@farebox/openapi';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';

const DOCUMENT = 'farebox:openapi';

/** What is wrong with a value by a schema; empty where nothing is. */
export type Problems = string[];

/** The schemas of a document, ready to hold values against. */
export class DocumentSchemas {
  readonly #ajv: Ajv2020;
  readonly #validators = new WeakMap<JsonObject, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    // An OpenAPI document has more than schemas, so its other keywords are unknown here.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    this.#ajv.addSchema({ ...document, $id: DOCUMENT });
  }

  /** What a schema of the document has against a value. */
  problemsOf(schema: JsonObject, value: unknown): Problems {
    const validate = this.#validatorOf(schema);
    return validate(value) ? [] : (validate.errors ?? []).map(toProblem);
  }

  #validatorOf(schema: JsonObject): ValidateFunction {
    const known = this.#validators.get(schema);
    if (known) return known;
    // It is compiled apart from the document, into which its references lead.
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${DOCUMENT}#/`);
    const validate = this.#ajv.compile(JSON.parse(text) as JsonObject);
    this.#validators.set(schema, validate);
    return validate;
  }
}

function toProblem({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath === '' ? 'the value' : instancePath} ${message ?? 'is not valid'} ${JSON.stringify(params)}`;
}

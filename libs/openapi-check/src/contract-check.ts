import { buildDocument, objectAt, resolve, type OpenApiDocument } from '@farebox/openapi';
import { checkAnswer } from './check-answer';
import { checkRequest } from './check-request';
import { DocumentSchemas, type Problems } from './document-schemas';
import type { Exchange } from './exchange';
import { findOperation } from './find-operation';

/** What HTTP itself, or the lack of a route, is answered with. No operation lists it. */
const OUTSIDE_OF_OPERATIONS = [400, 404, 405, 408];

/** Holds what goes over the wire against the OpenAPI document. */
export class ContractCheck {
  readonly document: OpenApiDocument;
  readonly schemas: DocumentSchemas;

  constructor(document = buildDocument()) {
    this.document = document;
    this.schemas = new DocumentSchemas(document);
  }

  /** What is not as the document says; empty where all is. */
  problemsOf(exchange: Exchange): Problems {
    const { found, methods } = findOperation(this.document, exchange.method, exchange.target);
    if (!found) return this.#withoutOperation(exchange, methods);
    const responses = objectAt(found.operation, 'responses');
    const status = String(exchange.status);
    if (!Object.hasOwn(responses, status)) {
      return exchange.status === 408
        ? this.#withoutOperation(exchange, methods)
        : [`the status ${status} is not documented`];
    }
    const response = resolve(this.document, objectAt(responses, status));
    const isTaken = exchange.status < 400;
    return [
      ...(isTaken ? checkRequest(this, found.operation, exchange) : []),
      ...checkAnswer(this, response, exchange),
    ];
  }

  /** Throws with all that is not as the document says. */
  expect(exchange: Exchange): void {
    const problems = this.problemsOf(exchange);
    if (problems.length === 0) return;
    const what = `${exchange.method} ${exchange.target} answered ${String(exchange.status)}`;
    throw new Error(
      [`${what}, which is not as openapi.json says:`, ...problems, exchange.text.slice(0, 500)].join('\n'),
    );
  }

  #withoutOperation(exchange: Exchange, methods: readonly string[]): Problems {
    if (!OUTSIDE_OF_OPERATIONS.includes(exchange.status)) {
      return [`nothing of this path and method is documented`];
    }
    const response = objectAt(
      objectAt(objectAt(this.document, 'components'), 'responses'),
      'InvalidRequestError',
    );
    const allowed = exchange.headers['allow'];
    return [
      ...(exchange.status === 404 && methods.length > 0 ? ['the path is documented, and answers 404'] : []),
      ...(exchange.status === 405 && allowed === undefined ? ['405 without Allow'] : []),
      ...checkAnswer(this, response, exchange),
    ];
  }
}

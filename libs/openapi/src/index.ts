export { buildDocument, type OpenApiDocument } from './build/document';
export type { Json, JsonObject } from './build/json';
export { isObject, listAt, objectAt, objectsIn, resolve, textAt } from './read';
export { errorAnswersOf, type ErrorAnswer } from './error-case';
export type { Credential, Method, Operation, Service } from './operation';
export { OPERATIONS } from './operations/every-operation';
export { buildPublicDocuments } from './public-documents';

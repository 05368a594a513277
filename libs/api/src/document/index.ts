export { buildPublicDocuments } from './docs-page';
export { buildDocument } from './document';
export { errorAnswersOf, type ErrorAnswer } from './error-responses';
export { listAt, objectAt, objectsIn, resolve, textAt } from './json';

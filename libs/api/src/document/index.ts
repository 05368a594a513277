export { buildDocument } from './document';
export { listAt, objectAt, objectsIn, resolve, textAt } from './json';

export { fromPublicId, toPublicId, type IdPrefix } from './public-id';
export { createUuidV7Source, uuidV7 } from './uuid';

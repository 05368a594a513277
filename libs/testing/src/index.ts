export { givenAccount, givenApiKey, type GivenAccount, type GivenApiKey } from './builders';
export { createTestDatabase, testRedisUrl, type TestDatabase } from './database';

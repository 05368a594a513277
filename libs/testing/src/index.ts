export { createTestDatabase, testRedisUrl, type TestDatabase } from './database';

export { givenAccount, givenApiKey, type GivenAccount, type GivenApiKey } from './builders';
export { createTestDatabase, testRedisUrl, type TestDatabase } from './database';
export type { FaultLine, LineFault } from './fault-line';
export { startFaultProxy, type FaultProxy } from './fault-proxy';
export { givenPastCharge, givenPastRefund, type PastCharge } from './history';
export { playLanes, randomSeed, type LanesOptions } from './lanes';
export { numberFromEnvironment } from './test-variables';
export type { ReadMail } from './read-mail';
export { startSmtpReceiver, type ReceivedMail, type SmtpReceiver } from './smtp-receiver';

export {
  createTestDatabase,
  PATIENT_LEDGER,
  PATIENT_POOL,
  PATIENT_SENDER,
  reinstallSqlFunctions,
  startTestRedis,
  testRedisUrl,
  type TestDatabase,
} from './database';
export type { LineFault } from './fault-line';
export { startFaultProxy, type FaultProxy } from './fault-proxy';
export {
  givenAccount,
  type GivenAccount,
  givenApiKey,
  type GivenApiKey,
  givenPastCharge,
  givenPastRefund,
  givenSavedCard,
  modelOf,
  type PastCharge,
} from './fixtures';
export { bytesLeftOf, garbageCollector, heapInUse } from './garbage';
export { numberFromEnvironment, playLanes, randomSeed } from './lanes';
export { showIfFailed } from './logged-lines';
export { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver';
export { startRedisSentinels, type RedisSentinelGroup } from './redis-sentinels';
export { startSmtpReceiver, type SmtpReceiver } from './smtp-receiver';
export { simulateCards, toList, type Bank, type SimulatedCards } from './stripe-cards';
export { startStripeServer, type StripeEventFields, type StripeServer } from './stripe-server';
export { standStill, turnsBeside, waitUntil } from './waiting';

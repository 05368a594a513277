export { openAllQueues, type QueueMeasure } from './measure-queues';
export {
  assertQueueMigrated,
  chooseJobBackend,
  QueueNotMigratedError,
  type BullQueue,
  type JobBackend,
} from './job-backend';
export { openQueueAdmin, type JobRecord, type QueueAdmin } from './queue-admin';
export { openJobSender, type JobSender } from './job-sender';
export {
  isPeriodicJobName,
  isSentJobName,
  JOBS,
  pauseMs,
  QUEUE_NAMES,
  type JobDefinition,
  type JobHandlers,
  type JobName,
  type JobPayload,
  type QueueName,
  type SentJobName,
} from './job-table';
export { openRedis } from './redis-client';
export { runJobs, type JobFailure, type RunningJobs } from './run-jobs';

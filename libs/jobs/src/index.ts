export { openAllQueues, type AllQueues } from './all-queues';
export { assertQueueMigrated, QueueNotMigratedError } from './assert-queue-migrated';
export { chooseJobBackend, type BullQueue, type JobBackend } from './job-backend';
export { openJobDesk, type JobDesk, type JobFilter, type JobRecord, type JobState } from './job-desk';
export { NoAnswerInTimeError } from './within';
export { JobNotSentError, openJobSender, type JobSender } from './job-sender';
export {
  isSentJobName,
  JOBS,
  type Delivery,
  type JobDefinition,
  type JobHandlers,
  type JobName,
  type JobPayload,
  type SentJobName,
} from './job-table';
export type { QueueMeasure } from './measure-queues';
export { QUEUE_NAMES, type QueueName } from './queues';
export { runJobs, type JobFailure, type RunJobsOptions, type RunningJobs } from './run-jobs';

export { QueueNotMigratedError } from './assert-queue-migrated';
export { chooseJobBackend, openQueue, type JobBackend, type JobQueue } from './job-backend';
export { JOBS, QUEUE_NAME, RETRY_POLICY, type JobHandlers, type JobName, type JobPayload } from './job-table';
export { runJobs, type RunJobsOptions, type RunningJobs } from './run-jobs';

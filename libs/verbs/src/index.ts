export { GROUPS, VERBS } from './all-verbs';
export { describeAge } from './status/status-report';
export { type Acting, type ActionOutcome, runAttempt, runChange } from './audit-log';
export { readLine } from './arguments';
export { CommandFailure, describeExpected, describeFailure, UsageError } from './failures';
export { toTable } from './lists';
export type { Report } from './report';
export {
  createVerbRunner,
  type GivenFile,
  type Verb,
  type VerbHost,
  type VerbRunner,
  type Verbs,
} from './verb';

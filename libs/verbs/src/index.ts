export { GROUPS, VERBS } from './all-verbs';
export { describeAge } from './status/status-report';
export { type Acting, type ActionOutcome, runAttempt, runChange } from './audit-log';
export { readLine } from './arguments';
export { CommandFailure, describeExpected, describeFailure, NotFoundFailure, UsageError } from './failures';
export { toTable } from './lists';
export { declareVerb, parametersOf, type GivenValue, type Parameter } from './parameters';
export type { Report } from './report';
export {
  mayUse,
  OPERATOR_API,
  routeOfVerb,
  SHELL_VERBS,
  VERB_RIGHTS,
  type VerbCaller,
  type VerbRight,
} from './rights';
export { runVerb, type VerbCall } from './run-verb';
export {
  createVerbRunner,
  type GivenFile,
  type Verb,
  type VerbHost,
  type VerbRunner,
  type Verbs,
} from './verb';

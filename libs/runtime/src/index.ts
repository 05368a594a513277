export { runService, type RunningService, type ServiceDefinition } from './run-service';
export { describeStartupError } from './startup-error';

import { describeDatabaseError } from '@farebox/database';
import { runService } from '@farebox/http';
import { compose } from './compose';
import { readConfig } from './config';

/** Sending a mail takes up to twenty seconds. */
const STOP_DEADLINE_MS = 25_000;

void runService({
  name: 'worker',
  describeError: describeDatabaseError,
  readConfig,
  async start(config, log, telemetry) {
    const worker = await compose(config, log, telemetry);
    return {
      readiness: worker.readiness,
      stopDeadlineMs: STOP_DEADLINE_MS,
      stop: () => worker.close(),
    };
  },
});

import { describeDatabaseError } from '@farebox/database';
import { closeGracefully, createHttpServer, listen, runService } from '@farebox/http';
import { compose } from './compose';
import { readConfig } from './config';

const DRAIN_DEADLINE_MS = 30_000;
const CLOSE_DEADLINE_MS = 5_000;

void runService({
  name: 'operator',
  listenVariable: 'FAREBOX_OPERATOR_PORT',
  describeError: describeDatabaseError,
  readConfig,
  async start(config, log, telemetry) {
    const operator = await compose(config, log, telemetry);
    const server = createHttpServer(operator.app);
    const port = await listen(server, config);
    return {
      address: { host: config.host, port },
      readiness: operator.readiness,
      stopDeadlineMs: DRAIN_DEADLINE_MS + CLOSE_DEADLINE_MS,
      async stop() {
        operator.beginDrain();
        await closeGracefully(server, DRAIN_DEADLINE_MS);
        await operator.close();
      },
    };
  },
});

import { describeDatabaseError } from '@farebox/database';
import { closeGracefully, createHttpServer, listen, runService } from '@farebox/http';
import { compose } from './compose';
import { readConfig } from './config';

const DRAIN_DEADLINE_MS = 10_000;
const CLOSE_DEADLINE_MS = 5_000;

void runService({
  name: 'account',
  listenVariable: 'FAREBOX_ACCOUNT_PORT',
  describeError: describeDatabaseError,
  readConfig,
  async start(config, log, telemetry) {
    const account = await compose(config, log, telemetry);
    const server = createHttpServer(account.app);
    const port = await listen(server, config);
    return {
      address: { host: config.host, port },
      readiness: account.readiness,
      stopDeadlineMs: DRAIN_DEADLINE_MS + CLOSE_DEADLINE_MS,
      async stop() {
        account.beginDrain();
        await closeGracefully(server, DRAIN_DEADLINE_MS);
        await account.close();
      },
    };
  },
});

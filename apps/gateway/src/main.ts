import { describeDatabaseError } from '@farebox/database';
import { closeGracefully, createHttpServer, listen, runService, drainParsedRequests } from '@farebox/http';
import { compose } from './compose';
import { readConfig } from './config';

/** How long streams that were cut at the deadline have for their last event. */
const CUT_DEADLINE_MS = 3_000;
/** How long the ledger has to settle these streams or hand them over, and the clients to close. */
const CLOSE_DEADLINE_MS = 24_000;

void runService({
  name: 'gateway',
  listenVariable: 'FAREBOX_GATEWAY_PORT',
  describeError: describeDatabaseError,
  readConfig,
  async start(config, log, telemetry) {
    const gateway = await compose(config, log, process.env, telemetry);
    const server = createHttpServer(gateway.app);
    const port = await listen(server, config);
    return {
      address: { host: config.host, port },
      readiness: gateway.readiness,
      stopDeadlineMs: config.drainTimeoutMs + CUT_DEADLINE_MS + CLOSE_DEADLINE_MS,
      async stop() {
        gateway.beginDrain();
        const deadline = setTimeout(gateway.abortRunning, config.drainTimeoutMs);
        await drainParsedRequests();
        await closeGracefully(server, config.drainTimeoutMs + CUT_DEADLINE_MS);
        clearTimeout(deadline);
        await gateway.close();
      },
    };
  },
});

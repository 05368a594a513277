import { runService } from '@farebox/runtime';
import { compose } from './compose';
import { readConfig } from './config';

void runService({
  name: 'worker',
  readConfig,
  async start(config, log) {
    const worker = await compose(config, log);
    return { stop: () => worker.close() };
  },
});

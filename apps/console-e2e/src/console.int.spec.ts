import { startConsoleStack, type ConsoleStack } from '../test/console-stack';
import { LAUNCH_BOUND_MS } from '../test/chromium';
import { inhabit, type InhabitedService } from '../test/inhabited-service';
import { expectAccessibility } from './accessibility';
import { expectConduct } from './conduct';
import { tellTheStory } from './story';

// One browser and one service for everything: both take longer to start than most of what is tried here.
let stack: ConsoleStack | undefined;
beforeAll(async () => {
  stack = await startConsoleStack();
}, LAUNCH_BOUND_MS);
afterAll(() => stack?.close());

const running = (): ConsoleStack => {
  if (!stack) throw new Error('the service has not started');
  return stack;
};

describe('the console', () => {
  let service: InhabitedService | undefined;
  beforeAll(async () => {
    service = await inhabit(running());
  });

  tellTheStory(running);
  expectConduct(running);
  describe('seen without a mouse, without colours, on a phone', () => {
    expectAccessibility(running, () => {
      if (!service) throw new Error('nobody is there');
      return service;
    });
  });
});

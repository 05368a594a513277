import { startConsoleStack, type ConsoleStack } from '../test/console-stack';
import { LAUNCH_BOUND_MS } from '../test/chromium';
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
  tellTheStory(running);
  expectConduct(running);
});

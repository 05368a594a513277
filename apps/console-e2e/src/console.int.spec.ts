import { startConsoleStack, type ConsoleStack } from '../test/console-stack';
import { LAUNCH_BOUND_MS } from '../test/chromium';
import { inhabit, type InhabitedService } from '../test/inhabited-service';
import { expectAccessibility } from './accessibility';
import { expectBilling } from './billing';
import { expectAutomaticTopUp } from './automatic-top-up';
import { expectConduct } from './conduct';
import { expectFirstLoad } from './first-load';
import { expectFirstRequest } from './first-request';
import { expectKeys } from './keys';
import { expectLanguages } from './languages';
import { expectLimits } from './limits';
import { expectPlayground } from './playground';
import { expectPolish } from './polish';
import { expectProofs } from './proofs';
import { expectRecords } from './records';
import { expectSignIn } from './sign-in';
import { tellTheStory } from './story';
import { expectTables } from './tables';
import { expectWaiting } from './waiting';
import { expectWebhooks } from './webhooks';

// One browser and one service for all tests: starting them takes longer than most tests.
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
  // First: a day before one that has its root gets none any more, and others record requests on past days.
  expectProofs(running);

  let service: InhabitedService | undefined;
  beforeAll(async () => {
    service = await inhabit(running());
  });

  tellTheStory(running);
  expectFirstLoad(running);
  expectSignIn(running);
  expectFirstRequest(running);
  expectPlayground(running);
  describe('the records', () => {
    expectRecords(running);
  });
  expectBilling(running);
  expectConduct(running);
  expectKeys(running);
  expectLimits(running);
  expectAutomaticTopUp(running);
  expectTables(running);
  expectPolish(running);
  expectWaiting(running);
  expectWebhooks(running);
  describe('in another language', () => {
    expectLanguages(running, () => inhabited(service));
  });
  describe('used without a mouse, without colours, and on a phone', () => {
    expectAccessibility(running, () => inhabited(service));
  });
});

function inhabited(service: InhabitedService | undefined): InhabitedService {
  if (!service) throw new Error('nobody has signed in');
  return service;
}

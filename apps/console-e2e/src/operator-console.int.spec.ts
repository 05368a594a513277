import { LAUNCH_BOUND_MS } from '../test/chromium';
import { startConsoleStack, type ConsoleStack } from '../test/console-stack';
import { inhabitOperation, type InhabitedOperation } from '../test/inhabited-operation';
import { expectOperatorsAccessibility } from './operator/accessibility';
import { expectButtonsByRole } from './operator/buttons';
import { expectRecordsApart } from './operator/records';
import { tellTheOperatorsDay } from './operator/story';

let stack: ConsoleStack | undefined;
let operation: InhabitedOperation | undefined;
beforeAll(async () => {
  stack = await startConsoleStack({ withOperator: true });
  operation = await inhabitOperation(stack);
}, LAUNCH_BOUND_MS);
afterAll(() => stack?.close());

const running = (): ConsoleStack => {
  if (!stack) throw new Error('the service has not started');
  return stack;
};
const inhabited = (): InhabitedOperation => {
  if (!operation) throw new Error('nobody uses the service');
  return operation;
};

describe("the operator's console", () => {
  tellTheOperatorsDay(running);
  expectRecordsApart(running, inhabited);
  expectButtonsByRole(running, inhabited);
  expectOperatorsAccessibility(running, inhabited);
});

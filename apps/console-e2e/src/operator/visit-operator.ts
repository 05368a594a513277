import type { ConsoleStack } from '../../test/console-stack';
import { visit, type Visit, type VisitOptions } from '../../test/visit';

/** Opens a browser at the operator service. */
export const visitOperator = (
  { browser, operatorUrl }: ConsoleStack,
  options: VisitOptions,
  act: (visited: Visit) => Promise<void>,
): Promise<void> => visit({ browser, baseUrl: operatorUrl }, options, act);

import type { CallPlace } from './explain';
import type { Issue } from './name-operations';

/**
 * Where items issued in one turn stand in the calls of their gateways. Each gateway sends all that waits in one call,
 * charges and releases first, and within these in order of arrival. A second settlement of a hold waits for the call
 * after that.
 */
export function callPlaces(issues: readonly Issue[]): (CallPlace | undefined)[] {
  const settled = new Map<string, number>();
  return issues.map(({ via, operation }, arrival) => {
    if (via === 'pool') return undefined;
    if (operation.kind === 'admit') return { gateway: via, rank: [0, 1, arrival] };
    if (operation.kind !== 'charge' && operation.kind !== 'release') return undefined;
    const name = `${via} ${operation.holdId}`;
    const call = settled.get(name) ?? 0;
    settled.set(name, call + 1);
    return { gateway: via, rank: [call, 0, arrival] };
  });
}

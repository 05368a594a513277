import { StopSwitch } from '../src/stop-switch';

const stop = new StopSwitch();
const listening: (() => void)[] = [];

/** One comes to listen to a stop switch with 8 KB in its hands, and the oldest of 64 leaves. */
export function comeAndGo(): void {
  const held = new Array<number>(1_000).fill(0);
  const listener = (): void => void held.fill(1);
  stop.addEventListener('abort', listener);
  listening.push(listener);
  if (listening.length > 64) stop.removeEventListener('abort', listening.shift() ?? listener);
}

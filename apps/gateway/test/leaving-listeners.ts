import { StopSwitch } from '../src/stop-switch';

const stop = new StopSwitch();
const listening: (() => void)[] = [];

/** Adds a listener that retains 8 KB to a stop switch, and removes the oldest of 64. */
export function comeAndGo(): void {
  const held = new Array<number>(1_000).fill(0);
  const listener = (): void => void held.fill(1);
  stop.addEventListener('abort', listener);
  listening.push(listener);
  if (listening.length > 64) stop.removeEventListener('abort', listening.shift() ?? listener);
}

import { join } from 'node:path';
import { bytesLeftOf } from '@farebox/testing';
import { StopSwitch } from './stop-switch';

describe('a stop switch', () => {
  it('tells those who listen, once, and not those who have left', () => {
    const heard: string[] = [];
    const stop = new StopSwitch();
    const leaves = (): number => heard.push('left');
    stop.addEventListener('abort', () => heard.push('first'));
    stop.addEventListener('abort', leaves);
    stop.addEventListener('abort', () => heard.push('second'));
    stop.removeEventListener('abort', leaves);
    expect(stop.aborted).toBe(false);
    stop.abort();
    stop.abort();
    expect([stop.aborted, heard]).toEqual([true, ['first', 'second']]);
  });

  it('lets a listener add and remove others', () => {
    const heard: string[] = [];
    const stop = new StopSwitch();
    stop.addEventListener('abort', () => {
      stop.addEventListener('abort', () => heard.push('too late'));
      heard.push('first');
    });
    stop.abort();
    expect(heard).toEqual(['first']);
  });

  it('leaves nothing of those who have left for a full collection of garbage', async () => {
    const left = await bytesLeftOf(join(__dirname, '../test/leaving-listeners.ts'));
    // Of 64 MB. Some listen at each collection.
    expect(left).toBeLessThan(12_000_000);
  });
});

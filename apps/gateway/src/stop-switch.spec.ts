import { join } from 'node:path';
import { bytesLeftOf } from '@farebox/testing';
import { StopSwitch } from './stop-switch';

describe('a stop switch', () => {
  it('calls its listeners once, and not those that were removed', () => {
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

  it('keeps no removed listener through a full garbage collection', async () => {
    const left = await bytesLeftOf(join(__dirname, '../test/leaving-listeners.ts'));
    // Of 64 MB. Some listen during each collection.
    expect(left).toBeLessThan(12_000_000);
  });
});

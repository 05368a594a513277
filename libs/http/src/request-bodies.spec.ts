import { RequestBodies } from './request-bodies';

const MOST_BYTES = 1_200;

/** Returns whether there was room for this many bytes. */
function taking(bodies: RequestBodies) {
  return (owner: string, bytes: number): boolean => bodies.take(owner, bytes);
}

describe('the bodies of a process', () => {
  it('leave an owner without others at most half of the memory', () => {
    const take = taking(new RequestBodies(MOST_BYTES));
    expect([take('a', 600), take('a', 1)]).toEqual([true, false]);
  });

  it('leave room for the next owner beside one who has the maximum', () => {
    const take = taking(new RequestBodies(MOST_BYTES));
    take('a', 600);
    expect([take('b', 300), take('b', 1), take('c', 150), take('a', 1)]).toEqual([true, false, true, false]);
  });

  it('never take more bytes than the limit, however many owners there are', () => {
    const bodies = new RequestBodies(MOST_BYTES);
    for (let owner = 0; owner < 100; owner++) while (bodies.take(String(owner), 10));
    expect(bodies.bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('have room again when a request releases its bytes, which it does once', () => {
    const bodies = new RequestBodies(MOST_BYTES);
    const room = bodies.roomFor('a');
    room.take(600);
    expect(() => {
      bodies.roomFor('a').take(1);
    }).toThrow('service_unavailable');
    room.leave();
    room.leave();
    expect(bodies.bytes).toBe(0);
    expect(bodies.take('a', 600)).toBe(true);
  });
});

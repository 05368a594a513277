import { RequestBodies } from './request-bodies';

const MOST_BYTES = 1_200;

/** Answers whether there was room for so many bytes. */
function taking(bodies: RequestBodies) {
  return (owner: string, bytes: number): boolean => bodies.take(owner, bytes);
}

describe('the bodies of a process', () => {
  it('are half of all at most of one owner, who is beside nobody', () => {
    const take = taking(new RequestBodies(MOST_BYTES));
    expect([take('a', 600), take('a', 1)]).toEqual([true, false]);
  });

  it('leave room for whoever comes beside one who has as much as they may', () => {
    const take = taking(new RequestBodies(MOST_BYTES));
    take('a', 600);
    expect([take('b', 300), take('b', 1), take('c', 150), take('a', 1)]).toEqual([true, false, true, false]);
  });

  it('never have more bytes than there may be, however many owners there are', () => {
    const bodies = new RequestBodies(MOST_BYTES);
    for (let owner = 0; owner < 100; owner++) while (bodies.take(String(owner), 10));
    expect(bodies.bytes).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('have room again for what a request has left, which it leaves once', () => {
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

import type { LimiterSettings } from './process-limiter';

/** What Redis said of a key when it decided one of its requests, which is counted if it was admitted. */
export interface RoomTaken {
  outcome: 'admitted' | 'window_full' | 'too_many_at_once';
  /** Requests in the window. */
  count: number;
  /** Requests that run, of all processes. */
  running: number;
}

interface KeyRoom {
  /** Requests that Redis is being asked about. */
  asking: number;
  count: number;
  running: number;
  refusedAtMs: number;
  toldAtMs: number;
}

/** Only so much of a key's room is given out before Redis has said so: other processes take of it, too. */
const PART_GIVEN_OUT = 0.5;

/**
 * What is known here of the room that each key has left. It decides nothing but what may be begun before Redis has decided,
 * and has to be undone if Redis refuses: that is seldom, and never much.
 */
export function createKnownRoom({ requests, windowMs, concurrent }: LimiterSettings, now: () => number) {
  const rooms = new Map<string, KeyRoom>();
  let nextSweepAtMs = 0;

  function forgetIdleKeys(nowMs: number): void {
    if (nowMs < nextSweepAtMs) return;
    nextSweepAtMs = nowMs + windowMs;
    for (const [key, room] of rooms)
      if (room.asking === 0 && room.toldAtMs + windowMs <= nowMs) rooms.delete(key);
  }

  function roomOf(apiKeyId: string): KeyRoom {
    let room = rooms.get(apiKeyId);
    if (!room) {
      const nowMs = now();
      forgetIdleKeys(nowMs);
      room = { asking: 0, count: 0, running: 0, refusedAtMs: -Infinity, toldAtMs: nowMs };
      rooms.set(apiKeyId, room);
    }
    return room;
  }

  return {
    /**
     * Whether a request of a key that was not refused within a window is the only one that is asked about, or all that are
     * asked about have room in the first half of what the key may.
     */
    isAsGoodAsSure(apiKeyId: string): boolean {
      const room = rooms.get(apiKeyId);
      if (!room) return true;
      if (room.refusedAtMs + windowMs > now()) return false;
      if (room.asking === 0) return true;
      return (
        room.count + room.asking < requests * PART_GIVEN_OUT &&
        room.running + room.asking < concurrent * PART_GIVEN_OUT
      );
    },
    /** A request is asked about: `answered` follows. */
    asked(apiKeyId: string): void {
      roomOf(apiKeyId).asking++;
    },
    /** `taken` is undefined if Redis said nothing. */
    answered(apiKeyId: string, taken: RoomTaken | undefined): void {
      const room = roomOf(apiKeyId);
      room.asking--;
      if (!taken) return;
      room.toldAtMs = now();
      room.count = taken.count;
      room.running = taken.running;
      if (taken.outcome !== 'admitted') room.refusedAtMs = room.toldAtMs;
    },
  };
}

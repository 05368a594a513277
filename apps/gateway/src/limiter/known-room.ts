import type { LimitedCaller, LimiterSettings, LimitScope, RequestLimit } from './request-limits';

/** The used part of a limit, over all processes. */
export interface TakenRoom {
  /** Requests in the window. */
  count: number;
  running: number;
}

/** Redis's reply to a request, which it has counted if it was admitted. */
export interface Decided {
  /** None if it was admitted. */
  refusedBy: LimitScope | undefined;
  key: TakenRoom;
  account: TakenRoom;
}

interface Room {
  /** Requests that Redis is deciding. */
  asking: number;
  taken: TakenRoom;
  refusedAtMs: number;
  toldAtMs: number;
}

/** Only this part of the room is given out before Redis has decided, because other processes use it too. */
const PART_GIVEN_OUT = 0.5;

const NOTHING: TakenRoom = { count: 0, running: 0 };

/**
 * Tracks how much room each key and account has left, as far as this process knows. It decides only which work may begin
 * before Redis has decided. That work is undone if Redis refuses, which is rare and never much.
 */
export function createKnownRoom({ key, account, windowMs }: LimiterSettings, now: () => number) {
  const keys = createRooms(key, windowMs, now);
  const accounts = createRooms(account, windowMs, now);
  return {
    /**
     * Whether the key and its account had no refusal within a window, and this is the only undecided request, or all
     * undecided ones fit into the first half of the limit.
     */
    likelyHasRoom: ({ apiKeyId, accountId }: LimitedCaller): boolean =>
      keys.likelyHasRoom(apiKeyId) && accounts.likelyHasRoom(accountId),
    /** Call before Redis decides a request; `answered` follows. */
    asked({ apiKeyId, accountId }: LimitedCaller): void {
      keys.asked(apiKeyId);
      accounts.asked(accountId);
    },
    /** `decided` is undefined if Redis did not reply. */
    answered({ apiKeyId, accountId }: LimitedCaller, decided: Decided | undefined): void {
      keys.answered(apiKeyId, decided?.key, decided?.refusedBy === 'key');
      accounts.answered(accountId, decided?.account, decided?.refusedBy === 'account');
    },
  };
}

function createRooms({ requests, concurrent }: RequestLimit, windowMs: number, now: () => number) {
  const rooms = new Map<string, Room>();
  let nextSweepAtMs = 0;

  function forgetIdle(nowMs: number): void {
    if (nowMs < nextSweepAtMs) return;
    nextSweepAtMs = nowMs + windowMs;
    for (const [id, room] of rooms)
      if (room.asking === 0 && room.toldAtMs + windowMs <= nowMs) rooms.delete(id);
  }

  function roomOf(id: string): Room {
    let room = rooms.get(id);
    if (!room) {
      const nowMs = now();
      forgetIdle(nowMs);
      room = { asking: 0, taken: NOTHING, refusedAtMs: -Infinity, toldAtMs: nowMs };
      rooms.set(id, room);
    }
    return room;
  }

  return {
    likelyHasRoom(id: string): boolean {
      const room = rooms.get(id);
      if (!room) return true;
      if (room.refusedAtMs + windowMs > now()) return false;
      if (room.asking === 0) return true;
      return (
        room.taken.count + room.asking < requests * PART_GIVEN_OUT &&
        room.taken.running + room.asking < concurrent * PART_GIVEN_OUT
      );
    },
    asked(id: string): void {
      roomOf(id).asking++;
    },
    answered(id: string, taken: TakenRoom | undefined, isRefused: boolean): void {
      const room = roomOf(id);
      room.asking--;
      if (!taken) return;
      room.toldAtMs = now();
      room.taken = taken;
      if (isRefused) room.refusedAtMs = room.toldAtMs;
    },
  };
}

import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8192;
const RANDOM_BYTES_PER_ID = 8;

/** Makes time-ordered ids, so that index inserts stay on the right-hand leaf. Source: RFC 9562, UUID version 7. */
export function createUuidV7Source(now: () => number = Date.now): () => string {
  const pool = Buffer.allocUnsafe(POOL_BYTES);
  let offset = POOL_BYTES;
  let lastMs = 0;
  let sequence = 0;

  return () => {
    const nowMs = now();
    if (nowMs > lastMs) {
      lastMs = nowMs;
      sequence = 0;
    } else if (++sequence > 0xfff) {
      // 4,096 ids in one millisecond: borrow the next one, as RFC 9562 section 6.2 allows.
      lastMs++;
      sequence = 0;
    }
    if (offset + RANDOM_BYTES_PER_ID > POOL_BYTES) {
      randomFillSync(pool);
      offset = 0;
    }
    const time = lastMs.toString(16).padStart(12, '0');
    const order = sequence.toString(16).padStart(3, '0');
    const variant = (0x8000 | (pool.readUInt16BE(offset) & 0x3fff)).toString(16);
    const random = pool.toString('hex', offset + 2, offset + RANDOM_BYTES_PER_ID);
    offset += RANDOM_BYTES_PER_ID;
    return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${variant}-${random}`;
  };
}

/** A new UUID version 7 of this process. */
export const uuidV7 = createUuidV7Source();

/** Not in Node 20. Source: ECMAScript 2024, `ArrayBuffer.prototype.transfer`. */
type Transferable = ArrayBuffer & { transfer?(byteLength: number): ArrayBuffer };

/**
 * Frees the bytes of a buffer that nobody else uses, and leaves it empty. Otherwise a collection would, and V8 collects
 * everything after some dozens of MiB of buffers. A buffer that is a part of a larger memory is left as it is.
 */
export function freeMemory({ buffer, byteLength }: Buffer): void {
  const memory = buffer as Transferable;
  if (byteLength === memory.byteLength) memory.transfer?.(0);
}

/**
 * Collects V8's young generation, if the process has `--expose-gc`: in a millisecond, since nearly nothing in it is alive
 * before the values of a body are created. A collection that comes while they exist copies all of them.
 */
export function makeRoomForValues(): void {
  globalThis.gc?.({ type: 'minor' });
}

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

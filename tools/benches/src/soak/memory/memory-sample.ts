/** How much memory a process held at a time. */
export interface MemorySample {
  /** Since the measurement began. */
  atMs: number;
  /** As it was. */
  residentMib: number;
  /** After a full collection. */
  residentCollectedMib: number;
  /** In use on V8's heap after the collection. */
  heapMib: number;
  /** Of buffers and the like outside of it, after the collection. */
  externalMib: number;
}

export type MemoryField = Exclude<keyof MemorySample, 'atMs'>;

const KIB_PER_MIB = 1_024;

/** What each of so many streams takes, in KiB, where there is so much memory with and without them. */
export function kibPerStream(restMib: number, openMib: number, streams: number): number {
  return ((openMib - restMib) * KIB_PER_MIB) / streams;
}

/** Older versions refuse the option. */
const FROM_NODE_24 = ['--external-memory-accounted-in-global-limit'];

/** The options of the gateway's image. A test of the Dockerfile compares them. */
export const IMAGE_ARGS: readonly string[] = [
  '--no-memory-reducer',
  '--use-largepages=silent',
  '--no-allocation-site-pretenuring',
  '--expose-gc',
  ...(Number.parseInt(process.versions.node) >= 24 ? FROM_NODE_24 : []),
];

const YOUNG_MIB_OF_IMAGE = 64;

export const imageEnvironment = (youngMib = YOUNG_MIB_OF_IMAGE): Record<string, string> => ({
  NODE_OPTIONS: `--max-semi-space-size=${String(youngMib)}`,
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_TRIM_THRESHOLD_: '268435456',
});

import { type CallFrame, type CpuProfile, fromRoot, packageOf, readProfile, timeByPlace } from './profile';

const frame = (functionName: string, url = ''): CallFrame => ({
  functionName,
  url,
  lineNumber: 0,
  columnNumber: 0,
});

/** (root) → (idle) | collector | the profiler | node:net → ours → node:http → stringify, and ours → stringify. */
const PROFILE: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3, 4, 9] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('(garbage collector)') },
    { id: 4, callFrame: frame('onread', 'node:net'), children: [5] },
    { id: 5, callFrame: frame('handle', 'main.js'), children: [6, 8] },
    { id: 6, callFrame: frame('end', 'node:http'), children: [7] },
    { id: 7, callFrame: frame('writev') },
    { id: 8, callFrame: frame('stringify') },
    { id: 9, callFrame: frame('post', 'node:inspector'), children: [10] },
    { id: 10, callFrame: frame('dispatch') },
  ],
  samples: [2, 3, 4, 5, 7, 8, 8, 10],
  timeDeltas: [1_000, 1, 2, 4, 8, 16, 32, 2_000],
};

const spent = readProfile(PROFILE);
const sourceOf = ({ url }: CallFrame): string | undefined => (url === 'main.js' ? 'handler.ts' : undefined);

it('neither idle time nor the profiler counts', () => {
  expect(spent.reduce((sum, { us }) => sum + us, 0)).toBe(63);
});

it('calls are attributed to the nearest caller in the bundle, and the rest to themselves', () => {
  expect(timeByPlace(spent, sourceOf)).toEqual([
    { place: 'handler.ts', ownUs: 4, builtInUs: 48, nodeUs: 8 },
    { place: 'node:net', ownUs: 0, builtInUs: 0, nodeUs: 2 },
    { place: '(garbage collector)', ownUs: 0, builtInUs: 1, nodeUs: 0 },
  ]);
});

it.each([
  ['node_modules/undici/lib/core/util.js', 'node_modules/undici'],
  ['node_modules/a/node_modules/@b/c/d.js', 'node_modules/@b/c'],
  ['apps/gateway/src/wires/handler.ts', 'apps/gateway'],
  ['libs/http/src/respond.ts', 'libs/http'],
])('%s is of the package %s', (source, name) => {
  expect(packageOf(source)).toBe(name);
});

it('a source is named from the root of the workspace', () => {
  expect(fromRoot('../../apps/gateway/src/app.ts')).toBe('apps/gateway/src/app.ts');
});

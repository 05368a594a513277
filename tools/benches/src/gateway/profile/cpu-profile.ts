/** What V8's CPU profiler writes, as far as it is read here. */
export interface CpuProfile {
  nodes: ProfileNode[];
  /** The node of each sample. */
  samples: number[];
  /** Microseconds before each sample. */
  timeDeltas: number[];
}

interface ProfileNode {
  id: number;
  callFrame: CallFrame;
  children?: number[];
}

/** `url` is a path, `node:…` for a module of Node's own, and empty for what is built in. Lines and columns from 0. */
export interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

/** Time that was spent in the first frame, which the second called, and so on. The root is left out. */
export interface Spent {
  stack: readonly CallFrame[];
  us: number;
}

/** The stacks of a profile with the time in each. Idle time is left out, and what the profiler itself took. */
export function readProfile({ nodes, samples, timeDeltas }: CpuProfile): Spent[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const usOf = new Map<number, number>();
  samples.forEach((id, i) => usOf.set(id, (usOf.get(id) ?? 0) + (timeDeltas[i] ?? 0)));
  return [...usOf]
    .map(([leaf, us]) => {
      const stack: CallFrame[] = [];
      for (let id: number | undefined = leaf; id !== undefined; id = parentOf.get(id)) {
        const frame = byId.get(id)?.callFrame;
        if (frame && frame.functionName !== '(root)') stack.push(frame);
      }
      return { stack, us };
    })
    .filter(({ stack }) => stack[0]?.functionName !== '(idle)' && !stack.some(isProfilers));
}

function isProfilers({ url }: CallFrame): boolean {
  return url === 'node:inspector';
}

import { readFileSync } from 'node:fs';

/** What a machine allows one process, and one address. */
export interface MachineLimits {
  openFiles: number;
  /** Ports from which connections to one address and port can come. */
  localPorts: number;
}

/** Beside the streams: databases, whole answers, what Node has open. */
const OTHER_FILES = 200;
/** A closed connection keeps its port for a minute. */
const PORTS_KEPT_S = 60;

export interface Needs {
  streams: number;
  /** Connections that are closed and opened anew. */
  newConnectionsPerSecond: number;
}

/** One sentence on what is too little, or nothing. */
export function findShortage(needs: Needs, { openFiles, localPorts }: MachineLimits): string | undefined {
  const files = 2 * needs.streams + OTHER_FILES;
  if (openFiles < files)
    return `${String(needs.streams)} streams need ${String(files)} open files in the gateway's process, but "ulimit -Hn" says ${String(openFiles)}.`;
  const ports = needs.streams + Math.ceil(needs.newConnectionsPerSecond * PORTS_KEPT_S);
  if (localPorts < ports)
    return `${String(needs.streams)} streams need ${String(ports)} local ports, but net.ipv4.ip_local_port_range has ${String(localPorts)}.`;
  return undefined;
}

/** Of this machine; processes of Node take their hard limit of open files. */
export function readMachineLimits(): MachineLimits {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(limits)?.[1] ?? '0';
  const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    .trim()
    .split(/\s+/)
    .map(Number);
  const [first = 0, last = 0] = range;
  return { openFiles: hard === 'unlimited' ? Infinity : Number(hard), localPorts: last - first + 1 };
}

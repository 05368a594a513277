import type { ServiceProcess } from '@farebox/local-services';

/** Something that clients can ask instead of the upstream. */
export interface Contestant {
  name: string;
  port: number;
  path: string;
  headers: Record<string, string>;
  /** The processes whose processor time and memory count. None for the upstream itself. */
  processes: ServiceProcess[];
  stop(): Promise<void>;
}

export interface Upstream {
  port: number;
  origin: string;
}

export const PATH = '/v1/chat/completions';

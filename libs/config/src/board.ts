import { z } from 'zod';
import { listenHost, port } from './fields';
import { ConfigError } from './load-config';

/** Where the board of the queues is served, and to whom. */
export interface BoardConfig {
  host: string;
  port: number;
  /** Whoever knows it sees the board. */
  token: string;
}

const SHORTEST_TOKEN = 32;

/** The variables of the board of the queues. */
export const boardVariables = {
  FAREBOX_BOARD_PORT: port().optional(),
  FAREBOX_BOARD_HOST: listenHost().default('127.0.0.1'),
  FAREBOX_BOARD_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,500}$/, `must have at least ${String(SHORTEST_TOKEN)} printable ASCII characters`)
    .optional(),
};

type BoardValues = z.output<z.ZodObject<typeof boardVariables>>;

/** What those variables come to: without a port there is no board. Throws `ConfigError` for a port without a token. */
export function toBoardConfig(values: BoardValues): BoardConfig | undefined {
  const { FAREBOX_BOARD_PORT: boardPort, FAREBOX_BOARD_HOST: host, FAREBOX_BOARD_TOKEN: token } = values;
  if (boardPort === undefined) return undefined;
  if (token === undefined)
    throw new ConfigError(['FAREBOX_BOARD_TOKEN is required where FAREBOX_BOARD_PORT is set.']);
  return { host, port: boardPort, token };
}

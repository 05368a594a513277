import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePorts, ServiceProcess, waitForHttp } from '@farebox/local-services';
import { writeRandomModel } from './random-model';

/** A third-party chat server, whose capabilities are detected here, not configured. */
export interface RealServer {
  /** Its name and version, as reported by the server. */
  about: string;
  baseUrl: string;
  model: string;
  /** Its address for embeddings and the model for them, if it has one. */
  embeddings: { baseUrl: string; model: string } | undefined;
  apiKey: string | undefined;
  /** The most tokens of a prompt and its response together. */
  contextTokens: number;
  /** Whether it is working on a request; undefined if it does not report that. */
  isBusy: (() => Promise<boolean>) | undefined;
  close(): Promise<void>;
}

/** The options of `npm run real-servers`. */
export interface RealServerOptions {
  llamaServer?: string;
  url?: string;
  model?: string;
  embeddingsModel?: string;
  embeddingsUrl?: string;
  apiKeyEnv?: string;
  context?: string;
}

/** The command passes the options in an environment variable. */
export const OPTIONS_VARIABLE = 'FAREBOX_TEST_REAL_SERVER';

export async function openRealServer(options: RealServerOptions): Promise<RealServer> {
  const { llamaServer, url, model } = options;
  if (llamaServer !== undefined) return startLlamaServer(llamaServer);
  if (url === undefined || model === undefined)
    throw new Error('pass either a program, or a URL and a model');
  const { embeddingsModel, embeddingsUrl = url, apiKeyEnv } = options;
  return {
    about: `${model} at ${url}`,
    baseUrl: url,
    model,
    embeddings:
      embeddingsModel === undefined ? undefined : { baseUrl: embeddingsUrl, model: embeddingsModel },
    apiKey: apiKeyEnv === undefined ? undefined : process.env[apiKeyEnv],
    contextTokens: Number(options.context ?? DEFAULT_CONTEXT_TOKENS),
    isBusy: undefined,
    close: () => Promise.resolve(),
  };
}

const DEFAULT_CONTEXT_TOKENS = 8_192;
/** Two concurrent requests for llama.cpp's server, each with its own context. */
const SLOTS = 2;
const START_TIMEOUT_MS = 60_000;

/**
 * llama.cpp's server with a model of random weights, and a second one for embeddings, because one server does
 * not do both.
 */
async function startLlamaServer(program: string): Promise<RealServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'farebox-llama-'));
  const file = path.join(folder, 'random.gguf');
  await writeRandomModel(file);
  const [port = 0, embeddingsPort = 0] = await freePorts(2);
  const start = (at: number, more: readonly string[]): ServiceProcess =>
    ServiceProcess.start({
      name: 'llama-server',
      command: program,
      args: [
        '--model',
        file,
        '--host',
        '127.0.0.1',
        '--port',
        String(at),
        '--threads',
        '1',
        '--offline',
        ...more,
      ],
    });
  const contextTokens = DEFAULT_CONTEXT_TOKENS;
  const servers = [
    start(port, [
      '--jinja',
      '--slots',
      '--parallel',
      String(SLOTS),
      '--ctx-size',
      String(contextTokens * SLOTS),
    ]),
    start(embeddingsPort, ['--embeddings', '--pooling', 'mean', '--ctx-size', String(contextTokens)]),
  ];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const [at, server] of servers.entries()) {
      const health = `http://127.0.0.1:${String(at === 0 ? port : embeddingsPort)}/health`;
      await server.until(waitForHttp(health, START_TIMEOUT_MS));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const origin = `http://127.0.0.1:${String(port)}`;
  const asked = async (what: string): Promise<unknown> => (await fetch(`${origin}/${what}`)).json();
  const { build_info: build } = (await asked('props')) as { build_info?: string };
  return {
    about: `llama.cpp's server, ${build ?? 'of an unknown build'}, with a model of random weights`,
    baseUrl: `${origin}/v1`,
    model: 'random',
    embeddings: { baseUrl: `http://127.0.0.1:${String(embeddingsPort)}/v1`, model: 'random' },
    apiKey: undefined,
    contextTokens,
    async isBusy() {
      const slots = (await asked('slots')) as { is_processing: boolean }[];
      return slots.some((slot) => slot.is_processing);
    },
    close,
  };
}

// The engine's protocol: JSON-RPC 2.0, one message a line on stdin and stdout, answered in order.
import readline from 'node:readline';

const FAILED = 4466; // the native engine's code for every error

/** Serves `call(method, params)` until stdin closes, then ends the process when the last answer is out. */
export function serveJsonRpc(call) {
  let pending = Promise.resolve();
  readline
    .createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method) pending = pending.then(() => answer(call, id, method, params));
    })
    .on('close', () => pending.finally(() => process.exit(0)));
}

async function answer(call, id, method, params) {
  try {
    const result = await call(method, params);
    // The native engine prints a diff through its host before it answers.
    if (method === 'diff' && result?.stdout != null) {
      send({ id: 'p1', method: 'print', params: { content: result.stdout } });
    }
    send({ id, result: result ?? null });
  } catch (error) {
    send({ id, error: toRpcError(error) });
  }
}

function toRpcError(error) {
  return {
    code: FAILED,
    message: 'An error happened. Check the data field for details.',
    data: {
      is_panic: error?.name === 'RuntimeError', // a WebAssembly trap
      message: error?.message ?? String(error),
      error_code: error?.code,
      meta: error?.meta,
    },
  };
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

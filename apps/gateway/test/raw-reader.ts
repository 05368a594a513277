import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { UnwrittenResponses } from '@farebox/http';
import { chatWriter } from '../src/wires/chat/chat-wire';
import { ResponseChannel, type ChannelTimes } from '../src/wires/response-channel';

/** A customer on a real connection who reads when the test says so, and their channel. */
export interface RawReader {
  channel: ResponseChannel;
  res: ServerResponse;
  socket: Socket;
  received(): string;
  /** Resolves when the channel's end of the connection is closed. */
  closed: Promise<void>;
  close(): Promise<void>;
}

const OWNER = { accountId: 'account', unwritten: new UnwrittenResponses(Infinity) };

export async function givenReader(times: ChannelTimes, httpVersion = '1.1'): Promise<RawReader> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const asked = new Promise<ServerResponse>((resolve) => {
    server.once('request', (_req, res: ServerResponse) => {
      resolve(res);
    });
  });
  let received = '';
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('data', (data) => (received += data.toString()));
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET / HTTP/${httpVersion}\r\nHost: x\r\n\r\n`);
  const res = await asked;
  return {
    channel: new ResponseChannel(res, [], times, OWNER, chatWriter(true)),
    res,
    socket,
    received: () => received,
    closed: new Promise((resolve) => res.once('close', resolve)),
    async close() {
      socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

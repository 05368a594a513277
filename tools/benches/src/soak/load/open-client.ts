import type { Contestant } from '../../gateway/contestants/contestant';
import { BareClient } from '../../gateway/http-client';
import { askForPace, type Pace } from '../../gateway/stream-pace';

/** A client who asks for streams of this pace, or, without one, for whole answers. */
export function openClient({ port, path, headers }: Contestant, pace?: Pace): Promise<BareClient> {
  const content = pace ? askForPace(pace) : 'Tell me something that is worth the fare.';
  const body = { model: 'bench', messages: [{ role: 'user', content }], ...(pace ? { stream: true } : {}) };
  return BareClient.open({
    host: '127.0.0.1',
    port,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

import type { ChatCompletionRequest } from '@farebox/contracts';
import { imageHostsOf, MOST_IMAGE_HOSTS, type ImageHosts } from '../upstream/image-hosts';
import { RefusalError } from './preconditions';

/** Throws `invalid_request_error` if an image's host is a machine near the upstream, as far as that can be told. */
export async function refuseNearbyImages(hosts: ImageHosts, request: ChatCompletionRequest): Promise<void> {
  const names = imageHostsOf(request);
  if (names.length === 0) return;
  if (names.length > MOST_IMAGE_HOSTS) {
    const message = `The images of a request are on at most ${String(MOST_IMAGE_HOSTS)} hosts.`;
    throw new RefusalError('body', 'invalid_request_error', { param: 'messages', message });
  }
  const areNearby = await Promise.all(names.map((name) => hosts.isNearby(name)));
  if (!areNearby.includes(true)) return;
  throw new RefusalError('body', 'invalid_request_error', {
    param: 'messages',
    message: "An image's URL must be of a public host.",
  });
}

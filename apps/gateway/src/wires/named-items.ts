import type { BodyRoom, JsonBodyLimits } from '@farebox/http';
import type { Caller } from '../identity/api-keys';
import { RefusalError, toRefusal } from '../refusals';
import { findItems, type FindItemsDeps } from '../paid/kept-items';
import type { NamedItems, WireRequest } from './wire';

/**
 * Adds the items of earlier responses that a request names: they count towards its size. Throws
 * `invalid_request_error`, `request_too_large` and `service_unavailable`.
 */
export async function withNamed(
  deps: FindItemsDeps & { bodyLimits: JsonBodyLimits },
  { caller, room }: { caller: Caller; room: BodyRoom },
  named: NamedItems,
): Promise<WireRequest> {
  let left = deps.bodyLimits.maxBytes;
  const found = await findItems(deps, caller, named.ids, (bytes) => {
    left -= bytes;
    if (left < 0)
      throw new RefusalError('body_size', 'request_too_large', {
        message: 'The items that the request names are longer than a request may be.',
      });
    room.take(bytes);
  });
  try {
    return named.with(found);
  } catch (error) {
    throw toRefusal('body', error);
  }
}

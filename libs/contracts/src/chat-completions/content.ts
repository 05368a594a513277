import { z } from 'zod';
import { CHAT_REQUEST_LIMITS } from './limits';

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });

const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z
      .string()
      .refine(isPublicImage, 'must be an https URL of a public host, or a data: URL of an image'),
    detail: z.enum(['auto', 'low', 'high']).optional(),
  }),
});

const refusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });

/** A text, or a list of parts. */
const contentOf = <Part extends z.ZodType>(part: Part) =>
  z.union(
    [z.string(), z.array(part).min(1).max(CHAT_REQUEST_LIMITS.partsOfMessage)],
    'must be a text or a list of parts',
  );

export const textContent = contentOf(z.discriminatedUnion('type', [textPart]));
export const userContent = contentOf(z.discriminatedUnion('type', [textPart, imagePart]));
export const assistantContent = contentOf(z.discriminatedUnion('type', [textPart, refusalPart]));

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
const IP_LITERAL = /^(?:\[.*\]|[\d.]+)$/;

/**
 * The service never fetches an image; the upstream may. An address that could only be meant for a machine near the
 * upstream (an IP literal, a name without a dot) is refused.
 */
function isPublicImage(text: string): boolean {
  if (text.startsWith('data:')) return DATA_IMAGE.test(text);
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  const isNearby =
    IP_LITERAL.test(hostname) ||
    !hostname.includes('.') ||
    /\.(?:local|internal|localhost)\.?$/.test(hostname);
  return protocol === 'https:' && username === '' && !isNearby;
}

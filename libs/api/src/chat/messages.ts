import { z } from 'zod';
import { BASE64_PATTERN, isBase64 } from '../base64';
import { CHAT_REQUEST_LIMITS } from '../fields';
import { changed } from '../own-reading';
import { partsOf } from '../text-parts';

/** An optional field that may be null, which means the same as leaving it out. */
export const maybe = <Schema extends z.ZodType>(schema: Schema) =>
  changed(schema.nullish(), (value) => value ?? undefined).optional();

const textPart = z.object({ type: z.literal('text'), text: z.string() });

const { imageAddressLength: LONGEST_ADDRESS } = CHAT_REQUEST_LIMITS;
export const IMAGE_ADDRESS_MESSAGE = `must be an https URL of a public host, with at most ${LONGEST_ADDRESS.toLocaleString('en')} characters`;

/** The image itself, or an address that an upstream may fetch. */
export const imageUrl = changed(z.string(), (text, { issues }) => {
  if (isData(text, DATA_IMAGE)) return text;
  const address = toImageAddress(text);
  if (address !== undefined) return address;
  issues.push({
    code: 'custom',
    message: `${IMAGE_ADDRESS_MESSAGE}, or a data: URL of an image`,
    input: text,
  });
  return z.NEVER;
});

const imagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: imageUrl, detail: maybe(z.enum(['auto', 'low', 'high'])) }),
});

const DATA_FILE = /^data:application\/pdf;base64,/;

/** A document in the request itself. */
export const fileData = z
  .string()
  .refine((text) => isData(text, DATA_FILE), 'must be a data: URL of a PDF in base64')
  .meta({ pattern: `${DATA_FILE.source}${BASE64_PATTERN}` });

/** The service stores no files that a `file_id` could name. */
const filePart = z.object({
  type: z.literal('file'),
  file: z.object({
    file_data: fileData,
    filename: maybe(z.string().max(CHAT_REQUEST_LIMITS.fileNameLength)),
    file_id: z.null('is not served: send file_data').optional(),
  }),
});

const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });

const PARTS_MESSAGE = 'must be a text or a list of parts';

/** A text, or a list of parts. */
const contentOf = <Part extends z.ZodType>(part: Part) =>
  z.union([z.string(), z.array(part).min(1).max(CHAT_REQUEST_LIMITS.partsOfMessage)], PARTS_MESSAGE);

const textContent = contentOf(z.discriminatedUnion('type', [textPart]));
const userContent = contentOf(z.discriminatedUnion('type', [textPart, imagePart, filePart]));
/** It may be empty. */
const assistantContent = z.union(
  [
    z.string(),
    changed(
      z.array(z.discriminatedUnion('type', [textPart, refusalPart])).max(CHAT_REQUEST_LIMITS.partsOfMessage),
      (parts) => (parts.length === 0 ? '' : parts),
    ),
  ],
  PARTS_MESSAGE,
);

const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,/;

/** Whether a text begins like this, and the rest is base64. */
function isData(text: string, beginning: RegExp): boolean {
  const [first = ''] = partsOf(text);
  const [begun] = beginning.exec(first) ?? [];
  return begun !== undefined && isBase64(text, begun.length);
}
const IP_LITERAL = /^(?:\[.*\]|[\d.]+)$/;

/** Names that no server of the public internet has: RFC 6761, 6762, 7686, 8375, 9476, and other common ones. */
const NEARBY_DOMAINS = new Set(
  [
    'local localhost localdomain internal intranet private lan home corp svc',
    'arpa alt onion test invalid example',
  ].flatMap((names) => names.split(' ')),
);

/**
 * The service never fetches an image; the upstream may. An address that could only be meant for a machine near the
 * upstream (an IP literal, a name without a dot, a name of a private domain) is refused. The gateway checks for names
 * that resolve to such an address.
 *
 * The check applies to the form that is sent: the normalized address (WHATWG URL). Other URL parsers find another
 * host in some addresses (in `https://example.com\@127.0.0.1/`, say); those that could mean one are refused.
 */
export function toImageAddress(text: string): string | undefined {
  if (
    text.length > LONGEST_ADDRESS ||
    !/^https:/i.test(text) ||
    READ_IN_TWO_WAYS.test(text) ||
    !URL.canParse(text)
  )
    return undefined;
  const { username, password, hostname, href } = new URL(text);
  const isPublic = username === '' && password === '' && isPublicName(withoutRoot(hostname));
  return isPublic && href.length <= LONGEST_ADDRESS ? href : undefined;
}

/** Whether an image that was checked is the data itself, and not its address. */
export function isImageData(url: string): boolean {
  return url.length > LONGEST_ADDRESS || url.startsWith('data:');
}

/** White space, control characters and backslashes: some parsers drop them, some treat them as slashes. */
const READ_IN_TWO_WAYS = /[\s\\\p{Cc}]/u;

const withoutRoot = (host: string): string => host.replace(/\.$/, '');

/** The host of an image's address as a name server knows it: ASCII, in lower case, without the root's dot. */
export function imageHostOf(url: string): string | undefined {
  if (isImageData(url) || !URL.canParse(url)) return undefined;
  return withoutRoot(new URL(url).hostname);
}

function isPublicName(host: string): boolean {
  const labels = host.split('.');
  return (
    !IP_LITERAL.test(host) &&
    labels.length > 1 &&
    labels.every((label) => label !== '') &&
    !NEARBY_DOMAINS.has(labels.at(-1) ?? '')
  );
}

const { nameLength, toolCallIdLength, toolCallsOfMessage } = CHAT_REQUEST_LIMITS;

/** Whether a message is said on the way to an answer or is the answer. Only the Responses API has a place for it. */
export const messagePhase = z.enum(['commentary', 'final_answer']);
export type MessagePhase = z.output<typeof messagePhase>;

const name = z.string().min(1).max(nameLength);
const toolCallId = z.string().min(1).max(toolCallIdLength);
const calledFunction = z.object({ name: z.string().min(1).max(128), arguments: z.string() });

/** Comes with a call, and its server requires it back: Gemini's signature of the preceding thought. */
const extraContent = z
  .object({ google: z.object({ thought_signature: z.string() }) })
  .nullish()
  .catch(undefined);

const functionCall = z.object({
  id: toolCallId,
  type: z.literal('function'),
  function: calledFunction,
  extra_content: extraContent,
});

/** A call of a tool whose input is a text. */
const customCall = z.object({
  id: toolCallId,
  type: z.literal('custom'),
  custom: z.object({ name: z.string().min(1).max(128), input: z.string() }),
});

const toolCall = z.discriminatedUnion('type', [functionCall, customCall]);

/** Reasoning that only its server can read or verify. Other kinds are dropped. */
const reasoningDetail = z.object({
  type: z.enum(['reasoning.text', 'reasoning.encrypted']),
  text: z.string().nullish(),
  signature: z.string().nullish(),
  data: z.string().nullish(),
});

const reasoningDetails = changed(
  z.array(reasoningDetail.nullable().catch(null)).nullish().catch(undefined),
  (details) => details?.filter((detail) => detail !== null),
);

/**
 * An earlier response may be sent back unchanged, even in the form of a client library: additional fields are dropped
 * like any unknown one.
 */
const assistantMessage = changed(
  z.object({
    role: z.literal('assistant'),
    content: assistantContent.nullish(),
    refusal: z.string().nullish(),
    reasoning_content: z.string().nullish(),
    /** The name that vLLM and OpenRouter use. */
    reasoning: z.string().nullish(),
    reasoning_details: reasoningDetails.optional(),
    name: maybe(name),
    tool_calls: z.array(toolCall).max(toolCallsOfMessage).nullish(),
    /** For transcripts from before there were tools; goes with the role `function`. */
    function_call: calledFunction.nullish(),
  }),
  ({ reasoning, ...message }) => {
    if (message.reasoning_content == null && reasoning != null) message.reasoning_content = reasoning;
    if (message.tool_calls?.length === 0) delete message.tool_calls;
    if (!message.reasoning_details?.length) delete message.reasoning_details;
    return message;
  },
);

/**
 * A message of the conversation. Unknown fields are dropped and sent nowhere. Source: OpenAI API reference, chat
 * completions, `messages`.
 */
export const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: textContent, name: maybe(name) }),
  z.object({ role: z.literal('developer'), content: textContent, name: maybe(name) }),
  z.object({ role: z.literal('user'), content: userContent, name: maybe(name) }),
  assistantMessage,
  z.object({
    role: z.literal('tool'),
    content: userContent,
    tool_call_id: toolCallId,
    /** The name of the tool. Not in OpenAI's reference; its API accepts it, and LangChain sends it. */
    name: maybe(name),
  }),
  z.object({ role: z.literal('function'), content: z.string(), name }),
]);

export type ChatMessage = z.output<typeof message>;
export type FunctionCall = z.output<typeof functionCall>;

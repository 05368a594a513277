import { embeddings } from '../src/wires/embeddings/embeddings';
import { chatWire } from '../src/wires/chat/chat-wire';
import { messagesWire } from '../src/wires/messages/messages-wire';
import { responsesWire } from '../src/wires/responses/responses-wire';

const TEXT = 'a'.repeat(1_000);
const IMAGE = `data:image/png;base64,${TEXT}`;
const SCHEMA = { type: 'object', properties: { text: { type: 'string', description: TEXT } } };

const CHAT = {
  model: 'm',
  messages: [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: IMAGE, detail: 'low' } }] },
    { role: 'assistant', content: TEXT, name: 'a' },
    { role: 'user', content: TEXT },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: TEXT, parameters: SCHEMA } }],
};

const MESSAGES = {
  model: 'm',
  max_tokens: 9,
  messages: [
    { role: 'user', content: [{ type: 'other', text: TEXT }] },
    { role: 'assistant', content: TEXT },
    {
      role: 'user',
      content: [{ type: 'image', source: { type: 'url', url: `https://example.com/${TEXT}` } }],
    },
  ],
  tools: [{ name: 'f', description: TEXT, input_schema: SCHEMA }],
};

const RESPONSES = {
  model: 'm',
  input: [
    { role: 'user', content: [{ type: 'input_image', image_url: IMAGE }] },
    { type: 'message', role: 'assistant', content: [{ type: 'other', text: TEXT }] },
    { type: 'other', text: TEXT },
  ],
  tools: [{ type: 'function', name: 'f', description: TEXT, parameters: SCHEMA }],
};

const READ: readonly (() => unknown)[] = [
  ...(
    [
      [chatWire, CHAT],
      [messagesWire, MESSAGES],
      [responsesWire, RESPONSES],
    ] as const
  ).map(([wire, body]) => {
    const text = JSON.stringify(body);
    return () => wire.read(JSON.parse(text));
  }),
  () => embeddings.read({ model: 'm', input: [TEXT] }, undefined),
];

let count = 0;

/** Reads a request of some 4 KB, of each wire in turn. */
export function comeAndGo(): void {
  READ[count++ % READ.length]?.();
}

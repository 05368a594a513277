import fc from 'fast-check';
import { text } from './chat-request';

const model = fc.oneof(
  { arbitrary: fc.constant('embed'), weight: 12 },
  {
    arbitrary: fc.constantFrom(
      ...['embed-contrary', 'embed-no-usage', 'embed-wrong-usage', 'embed-breaks', 'embed-garbage'],
      ...['embed-refuses-400', 'embed-refuses-503', 'embed-html', 'embed-slow-200'],
    ),
    weight: 6,
  },
  { arbitrary: fc.constantFrom('echo', 'missing', ''), weight: 1 },
);

const token = fc.integer({ min: 0, max: 200_000 });
const tokens = fc.array(token, { minLength: 1, maxLength: 20 });
const said = text.filter((words) => words !== '');

const input = fc.oneof(
  { arbitrary: said, weight: 4 },
  { arbitrary: fc.array(said, { minLength: 1, maxLength: 4 }), weight: 4 },
  { arbitrary: tokens, weight: 1 },
  { arbitrary: fc.array(tokens, { minLength: 1, maxLength: 4 }), weight: 1 },
  { arbitrary: fc.constantFrom('', [], [[]], ['a', 1], [1, 'a'], 7, null, { text: 'a' }), weight: 1 },
);

const further = fc.constantFrom<object>(
  ...Array.from({ length: 6 }, () => ({})),
  ...[{ encoding_format: 'float' }, { encoding_format: 'base64' }, { dimensions: 8 }, { user: 'ada' }],
  ...[{ encoding_format: 'int8' }, { dimensions: 0 }, { input_type: 'query' }],
);

/** A request for embeddings, usually valid. */
export const embeddingsRequest = fc
  .tuple(model, input, further)
  .map(([asked, given, more]) => ({ model: asked, input: given, ...more }));

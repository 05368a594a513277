import { z } from 'zod';

const MAX_MODELS = 100;
const MODEL_ID_MESSAGE = 'must be the id of a model';

/** Which models a key may use: only the listed ones, or all but the listed ones. */
export const modelPolicy = z.strictObject({
  mode: z.enum(['allow', 'block'], 'must be "allow" or "block"'),
  models: z
    .array(
      z.string(MODEL_ID_MESSAGE).regex(/^[\x21-\x7e]{1,128}$/, MODEL_ID_MESSAGE),
      'must be a list of model ids',
    )
    .max(MAX_MODELS, `must have at most ${String(MAX_MODELS)} models`)
    .transform((models) => [...new Set(models)]),
});

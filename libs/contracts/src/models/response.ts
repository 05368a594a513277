import { z } from 'zod';

/** Answer of `GET /v1/models`. */
export const modelList = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      id: z.string(),
      object: z.literal('model'),
      created: z.int(),
      owned_by: z.string(),
    }),
  ),
});

export type ModelList = z.output<typeof modelList>;

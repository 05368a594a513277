import { z } from 'zod';

/** `GET /healthz`. */
export const health = z.strictObject({ status: z.literal('ok') });

/** `GET /readyz`. */
export const readiness = z.strictObject({ status: z.enum(['ready', 'not_ready']) });

/** `GET /v1/service`: the operator and the base URL of the service. */
export const serviceRecord = z.strictObject({
  object: z.literal('service'),
  name: z.string().describe('What the operator calls it.'),
  logo_url: z.string().nullable(),
  accent_color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .nullable()
    .describe('Of buttons and links, if the operator has one.'),
  support_email: z.string().nullable().describe('Whom customers ask.'),
  base_url: z.string().describe('Where the API is reached: the base of `/v1`.'),
  version: z.string().describe('Of the software.'),
});
export type ServiceRecord = z.output<typeof serviceRecord>;

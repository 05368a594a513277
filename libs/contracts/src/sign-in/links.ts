import { z } from 'zod';
import { emailAddress } from './email-address';

/** `POST /auth/links`. */
export const requestLinkBody = z.strictObject({
  email: emailAddress.describe('Where the link is sent, if it is the address of an account.'),
});
export type RequestLinkBody = z.output<typeof requestLinkBody>;

/** The answer to `POST /auth/links`: the same for every address. */
export const linkRequest = z.strictObject({
  object: z.literal('link_request'),
  expires_in: z.int().describe('For how many seconds a link works that was sent.'),
});
export type LinkRequest = z.output<typeof linkRequest>;

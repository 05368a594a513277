import { z } from 'zod';
import { listPage, pageParameters, unixSeconds } from '../fields';

/** As `Firefox on Linux`: the client's own description, in the service's words. */
export const browserName = z
  .string()
  .nullable()
  .describe('The browser and the system that `user_agent` names. Null if it names none that is known.');

/** A change of an account, or of a credential that opens it. */
export const accountEvent = z.strictObject({
  object: z.literal('account_event'),
  event_id: z.string().regex(/^evt_[0-9a-z]{26}$/),
  created_at: unixSeconds,
  credential: z.enum(['api_key', 'device', 'session', 'account']).describe('What it was done to.'),
  credential_id: z
    .string()
    .regex(/^(?:key|dev|sess|acct)_[0-9a-z]{26}$/)
    .describe('The key, the device, the session or the account.'),
  name: z
    .string()
    .nullable()
    .describe('The name that the key or the device has now. Of the session of a device, that of the device.'),
  action: z.enum(['create', 'change', 'rotate', 'revoke']),
  actor_kind: z
    .enum(['session', 'device', 'operator', 'system'])
    .describe('Who did it: a person who was signed in, a device for itself, the operator, or the service.'),
  actor_id: z
    .string()
    .regex(/^(?:sess|dev)_[0-9a-z]{26}$/)
    .nullable()
    .describe('The session or the device. A sign-in is done by the session that it makes.'),
  network: z
    .string()
    .nullable()
    .describe('Where from: the first 24 bits of an IPv4 address, or 48 of an IPv6 address.'),
  user_agent: z.string().nullable().describe('What the browser or program said of itself.'),
  browser: browserName,
  new_browser: z
    .boolean()
    .describe('Whether it is a sign-in by a browser that had not signed in to the account before.'),
});
export type AccountEvent = z.output<typeof accountEvent>;

/** `GET /v1/account/events`. */
export const listAccountEventsQuery = z.strictObject(pageParameters('evt'));
export const accountEventList = listPage(accountEvent);

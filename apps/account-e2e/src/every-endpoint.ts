import { toPublicId, uuidV7 } from '@farebox/auth';
import { OPERATIONS } from '@farebox/openapi';

/** For each parameter of a path: the id of nothing that there is. */
const NOBODYS: Readonly<Record<string, string | undefined>> = {
  key_public_id: toPublicId('key', uuidV7()),
  session_id: toPublicId('sess', uuidV7()),
  device_id: toPublicId('dev', uuidV7()),
  number: 'INV-2026-000001',
  token: `lt-${'0'.repeat(43)}`,
};

/** Is there only where card payments are switched on. */
const SWITCHED_OFF = ['createCheckout'];

/** Every endpoint that takes a session, with a path that it serves: those that are documented, and there are no other. */
export const EVERY_ENDPOINT: readonly (readonly [method: string, path: string])[] = OPERATIONS.filter(
  ({ credential, id }) => credential === 'session' && !SWITCHED_OFF.includes(id),
).map(({ method, path }) => [method, nobodysPath(path)]);

/** A path of the document with the ids of nothing in it. */
export function nobodysPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => nobodys(name));
}

function nobodys(parameter: string): string {
  const id = NOBODYS[parameter];
  if (id === undefined) throw new Error(`say in NOBODYS what ${parameter} is the id of nothing`);
  return id;
}

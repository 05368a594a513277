/** The pattern that matched, e.g. `/v1/api-keys/:key_public_id`. Express sets it while it routes. */
export function routeOf(req: { route?: unknown }): string | undefined {
  const { route } = req;
  if (typeof route !== 'object' || route === null || !('path' in route)) return undefined;
  return typeof route.path === 'string' ? route.path : undefined;
}

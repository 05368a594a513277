/** The header `Link` to the page after the record `lastId`, with the other parameters as they came. Source: RFC 8288. */
export function nextLink(path: string, query: Readonly<Record<string, unknown>>, lastId: string): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'string' && name !== 'after') parameters.set(name, value);
  }
  parameters.set('after', lastId);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

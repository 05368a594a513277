/** A request as it was sent, and what came back. */
export interface Exchange {
  method: string;
  /** With its query. */
  target: string;
  /** The text of the body, where there is one. */
  requestBody?: string | undefined;
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  text: string;
}

export const mediaTypeOf = ({ headers }: Exchange): string =>
  String(headers['content-type'] ?? '')
    .split(';')[0]
    ?.trim() ?? '';

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

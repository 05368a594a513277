const BOUND_MS = 5_000;

/**
 * Whether a credential is still recognised: anything but 401. A key of a suspended account, say, is refused, but it
 * is the account's key.
 */
export async function isRecognised(url: string, token: string): Promise<boolean> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(BOUND_MS),
  });
  await response.arrayBuffer();
  return response.status !== 401;
}

/** Where a link leads: the page that spends it on a press of its button. `publicUrl` is an origin. */
export function toSignInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/auth/links/${token}`;
}

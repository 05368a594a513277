const KEY = 'farebox.operator.return';
const HOME = '/operator';

/** Reloads the page, which the service replaces by one that says how to sign in. Keeps the address for afterwards. */
export function leaveForSignIn(): void {
  const { pathname, search } = window.location;
  sessionStorage.setItem(KEY, pathname + search);
  window.location.reload();
}

/** Signing in ends on the home page: goes back to where the person was before. */
export function returnAfterSignIn(): void {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (kept?.startsWith(`${HOME}/`) && window.location.pathname === HOME)
    window.history.replaceState(null, '', kept);
}

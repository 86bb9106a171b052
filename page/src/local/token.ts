/** Where the token is kept for this tab: a cookie would be sent to every port of this address. */
const key = 'barewire-token';

/**
 * The token of the local server: from the fragment of the address, which is removed from it and from the history, or from
 * an earlier load of this tab. '' where there is none.
 */
export function takeToken(): string {
  // Only where the fragment is the token: a link to a place in the page brings none.
  const given = location.hash.startsWith('#token=') ? new URLSearchParams(location.hash.slice(1)).get('token') : null;
  if (given !== null) {
    sessionStorage.setItem(key, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return given ?? sessionStorage.getItem(key) ?? '';
}

/** A name for this tab that it keeps over reloads. */
export function tabName(): string {
  const kept = sessionStorage.getItem('barewire-tab');
  if (kept !== null) return kept;
  const made = crypto.randomUUID();
  sessionStorage.setItem('barewire-tab', made);
  return made;
}

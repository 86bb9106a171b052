/** The key of the token in `sessionStorage`. A cookie would be sent to every port of this address. */
const key = 'barewire-token';

/**
 * The token of the local server: from the fragment of the address, which is then removed from the address and the history, or from an
 * earlier load of this tab. '' without one.
 */
export function takeToken(): string {
  // Only if the fragment is the token: other fragments link to places in the page.
  const given = location.hash.startsWith('#token=') ? new URLSearchParams(location.hash.slice(1)).get('token') : null;
  if (given !== null) {
    sessionStorage.setItem(key, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return given ?? sessionStorage.getItem(key) ?? '';
}

/** A name that this tab keeps over reloads. */
export function tabName(): string {
  const kept = sessionStorage.getItem('barewire-tab');
  if (kept !== null) return kept;
  const made = crypto.randomUUID();
  sessionStorage.setItem('barewire-tab', made);
  return made;
}

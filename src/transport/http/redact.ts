/** Names of header fields whose values may be credentials. */
const secret = /authori[sz]ation|cookie|token|secret|passw|api-?key|credential|signature|assertion|^dpop$/;

/** Header fields for a trace, by lower-case name: of what may be a credential, at most the scheme is shown. */
export function redact(fields: Iterable<readonly [name: string, value: unknown]>): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [field, value] of fields) {
    const name = field.toLowerCase();
    shown[name] = !secret.test(name) ? String(value)
      : `${/authori[sz]ation$/.test(name) ? /^[a-z\d-]+ |/i.exec(String(value))?.[0] : ''}[redacted]`;
  }
  return shown;
}

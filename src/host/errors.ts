/** Why the host did not do what was asked of it. Stable. */
export type HostErrorCode =
  | 'no-such-server' | 'no-such-tool' | 'ambiguous-name' | 'refused' | 'tool-changed' | 'server-down' | 'host-closed'
  | 'bad-config' | 'store-failed' | 'not-accepted';

/** An error of the host itself. What a server answers with an error stays that server's `RpcError`. */
export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HostError';
    this.code = code;
  }
}

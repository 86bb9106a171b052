/** The reason for a refusal of the host. Stable. */
export type HostErrorCode =
  | 'no-such-server' | 'no-such-tool' | 'ambiguous-name' | 'refused' | 'tool-changed' | 'server-down' | 'host-closed'
  | 'bad-config' | 'store-failed' | 'not-accepted';

/** An error of the host itself. An error that a server returns stays that server's `RpcError`. */
export class HostError extends Error {
  readonly code: HostErrorCode;

  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HostError';
    this.code = code;
  }
}

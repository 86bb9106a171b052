/** Why a message is refused. Its connection must end, since the start of the next message is unknown. */
export class HttpFault {
  /** The status of the response to a refused request. */
  readonly status: number;
  /** The reason, for the reader of the response or the error. It quotes no part of the message. */
  readonly message: string;

  constructor(message: string, status: number = 400) {
    this.status = status;
    this.message = message;
  }
}

/** Why a message is refused. The connection that brought it ends: nobody knows where its next message would begin. */
export class HttpFault {
  /** The status of the response, where a request is refused. */
  readonly status: number;
  /** What is wrong, for the reader of the response or of the error. It quotes nothing of the message. */
  readonly message: string;

  constructor(message: string, status: number = 400) {
    this.status = status;
    this.message = message;
  }
}

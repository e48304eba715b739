/** What is sent as a body. A stream is read once, so its request cannot be made again. */
export type HttpBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** A POST, ready to be sent. */
export interface HttpRequest {
  /** Absolute, `http:` or `https:`. */
  readonly url: string
  /**
   * Those that are sent often are best the same object each time. `content-length` says how long a stream will be; all
   * others are measured.
   */
  readonly headers: Headers
  readonly body: HttpBody
}

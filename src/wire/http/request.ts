/** The body of a request. A stream can be read only once, so its request cannot be repeated. */
export type HttpBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** A POST request. */
export interface HttpRequest {
  /** Absolute, `http:` or `https:`. */
  readonly url: string
  /**
   * Frequently sent headers should be the same object each time. `content-length` announces the
   * length of a stream; all other bodies are measured.
   */
  readonly headers: Headers
  readonly body: HttpBody
}

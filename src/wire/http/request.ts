/** The body of a request. A stream can be read only once, so its request cannot be repeated. */
export type HttpBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** A POST request to an upstream. */
export interface HttpRequest {
  /** An absolute URL with `http:` or `https:`. */
  readonly url: string
  /**
   * The headers. Callers should pass the same object for the same headers, because its text is cached. For a stream,
   * `content-length` announces the length. All other bodies are measured.
   */
  readonly headers: Headers
  readonly body: HttpBody
}

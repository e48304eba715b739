import type { ReadableStreamDefaultReader } from "node:stream/web"
import { type HttpResponse, ReceivedResponse } from "./response.ts"
import { BodyQueue, type Source } from "./body-queue.ts"
import type { Connection, ConnectionUser } from "./connection.ts"
import type { HttpBody } from "./request.ts"
import type { ResponseHead } from "./response-head.ts"
import { type ResponseListener, ResponseParser } from "./response-parser.ts"

/** A request that is in progress. */
export interface Sending {
  /**
   * The response once its head has arrived. The promise rejects if the request is aborted, or if the connection fails
   * before that.
   */
  readonly response: Promise<HttpResponse>
  readonly isConnected: boolean
  /** Aborts the request. Pending reads fail, and the connection to the server is closed. */
  abort(): void
}

/** The serialized parts of a request. */
export interface RequestParts {
  /** All lines of the head before the headers that frame the body. Each line ends with a line break. */
  readonly head: string
  readonly body: HttpBody
  /** Bytes of the body; undefined if the length is not known. */
  readonly length: number | undefined
}

/** The pool from which a request gets its connection and to which the connection is returned. */
export interface ConnectionSource {
  /** Opens a new connection. After a failure, the idle connections may be stale as well. */
  connect(sending: OwnSending): Connection
  /** Called when the request has a connection, or no longer needs one. */
  stopWaiting(sending: OwnSending): void
  /** Takes over a connection that is not established yet and that the request no longer needs. */
  leave(connection: Connection): void
  /** Takes back a connection that has become idle. */
  release(connection: Connection): void
}

/**
 * If a server closes a reused connection within this time after a request, the connection was stale. Servers do not
 * close a connection while they process a request.
 */
const STALE_MS = 250

/** A request on one of the gateway's own connections, and its response while it arrives. */
export class OwnSending implements Sending, ConnectionUser, ResponseListener, Source {
  readonly response: Promise<HttpResponse>
  readonly #connections: ConnectionSource
  readonly #parts: RequestParts
  readonly #parser = new ResponseParser(this)
  readonly #settle: PromiseWithResolvers<HttpResponse>
  #connection: Connection
  #queue: BodyQueue | undefined
  #isConnected = false
  /**
   * Until this time of `performance.now()`, a closed connection means that the server may have closed it before it
   * received this request.
   */
  #staleUntil = 0
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #isSent = false
  #isOver = false

  /** @param kept a connection that has already been used; if absent, a new connection is opened. */
  constructor(connections: ConnectionSource, parts: RequestParts, kept?: Connection) {
    this.#connections = connections
    this.#parts = parts
    this.#settle = Promise.withResolvers()
    this.response = this.#settle.promise
    this.#connection = kept ?? connections.connect(this)
    if (kept !== undefined) this.#begin(kept)
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  abort(): void {
    this.#fail(new Error("the request was given up"))
  }

  /** Uses another connection that became idle before the request's own connection was established. */
  take(kept: Connection): void {
    this.#connections.leave(this.#connection)
    this.#connection = kept
    this.#begin(kept)
  }

  onReady(): void {
    if (this.#isConnected) return
    this.#isConnected = true
    this.#connections.stopWaiting(this)
    const { head, body, length } = this.#parts
    const connection = this.#connection
    const framing =
      length === undefined ? "transfer-encoding: chunked" : `content-length: ${length}`
    const start = `${head}${framing}\r\n\r\n`
    if (typeof body === "string") connection.writeText(start + body)
    else connection.writeText(start)
    if (typeof body === "string") this.#isSent = true
    else if (body instanceof ReadableStream) void this.#stream(body, length)
    else {
      void connection.write(body).then(() => {
        this.#isSent = this.#connection === connection
      })
    }
  }

  onBytes(bytes: Buffer): void {
    this.#staleUntil = 0
    try {
      this.#parser.push(bytes)
    } catch (error) {
      this.#fail(error)
    }
  }

  onClosed(error?: unknown): void {
    if (this.#isOver) return
    if (performance.now() < this.#staleUntil) {
      this.#staleUntil = 0
      this.#isConnected = false
      this.#connection = this.#connections.connect(this)
      return
    }
    try {
      if (error !== undefined && error !== null) throw error
      this.#parser.close()
    } catch (failure) {
      this.#fail(failure)
    }
  }

  onHead(head: ResponseHead): void {
    this.#queue = new BodyQueue(this)
    this.#settle.resolve(new ReceivedResponse(head, this.#queue))
  }

  onChunk(bytes: Uint8Array): void {
    this.#queue?.push(bytes)
  }

  onEnd(isReusable: boolean): void {
    this.#isOver = true
    const connection = this.#connection
    connection.hasServed = true
    // Ends the queue before the connection is reused, because a queue that has ended can no longer affect the
    // connection.
    this.#queue?.end()
    if (isReusable && this.#isSent && connection.isDrained) this.#connections.release(connection)
    else this.leave()
  }

  pause(): void {
    this.#connection.pause()
  }

  resume(): void {
    this.#connection.resume()
  }

  leave(): void {
    this.#isOver = true
    this.#connections.stopWaiting(this)
    this.#connection.destroy()
    // The rest of the request body is no longer needed.
    void this.#reader?.cancel().catch(() => {})
  }

  #begin(kept: Connection): void {
    kept.user = this
    const isOnce = this.#parts.body instanceof ReadableStream
    if (kept.hasServed && !isOnce) this.#staleUntil = performance.now() + STALE_MS
    this.onReady()
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.leave()
    this.#queue?.end(error)
    // This has no effect if a response has arrived. In that case, only the body fails.
    this.#settle.reject(error)
  }

  /** Sends a body one chunk at a time, and no faster than the server accepts it. */
  async #stream(body: ReadableStream<Uint8Array>, length: number | undefined): Promise<void> {
    const connection = this.#connection
    const reader = body.getReader()
    this.#reader = reader
    let sent = 0
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const chunk = read.value
        // Empty chunks are skipped, because an empty chunk would end the body.
        if (chunk.byteLength === 0) continue
        if (length === undefined) connection.writeText(chunkStart(chunk, sent))
        sent += chunk.byteLength
        if (length !== undefined && sent > length)
          throw new Error("the body is longer than announced")
        await connection.write(chunk)
      }
      if (length === undefined) connection.writeText(sent === 0 ? LAST_CHUNK : `\r\n${LAST_CHUNK}`)
      else if (sent < length) throw new Error("the body is shorter than announced")
      this.#isSent = true
    } catch (error) {
      this.#fail(error)
    }
  }
}

/** Returns the text that ends the previous chunk and starts the next one. */
function chunkStart(chunk: Uint8Array, sent: number): string {
  const size = `${chunk.byteLength.toString(16)}\r\n`
  return sent === 0 ? size : `\r\n${size}`
}

const LAST_CHUNK = "0\r\n\r\n"

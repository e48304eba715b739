import type { ReadableStreamDefaultReader } from "node:stream/web"
import { type HttpAnswer, ReceivedAnswer } from "./answer.ts"
import { BodyQueue, type Source } from "./body-queue.ts"
import type { Connection, ConnectionUser } from "./connection.ts"
import type { HttpBody } from "./request.ts"
import type { ResponseHead } from "./response-head.ts"
import { type ResponseListener, ResponseParser } from "./response-parser.ts"

/** A request in progress. */
export interface Sending {
  /**
   * Rejects if the request is aborted, or if the connection fails before the head of a response has
   * arrived.
   */
  readonly answer: Promise<HttpAnswer>
  /** Whether the connection is established. */
  readonly isConnected: boolean
  /**
   * Aborts the request. Pending reads receive an error, and the connection to the server is closed.
   */
  abort(): void
}

/** The serialized parts of a request. */
export interface RequestParts {
  /** All lines up to the headers that frame the body, each with a line break. */
  readonly head: string
  readonly body: HttpBody
  /** Bytes of the body; undefined if unknown. */
  readonly length: number | undefined
}

/** The pool that gives a request its connection, and takes it back. */
export interface ConnectionSource {
  /** Opens a new connection: idle ones may be as stale as the one that failed. */
  connect(sending: OwnSending): Connection
  /** Called when the request has a connection, or no longer needs one. */
  stopWaiting(sending: OwnSending): void
  /** Takes over a connection that is not established yet and no longer needed. */
  leave(connection: Connection): void
  /** Takes back an idle connection. */
  release(connection: Connection): void
}

/**
 * Servers close a stale connection within this time, and not later while they process a request.
 */
const STALE_MS = 250

/** A request on one of the gateway's own connections, and its response as it arrives. */
export class OwnSending implements Sending, ConnectionUser, ResponseListener, Source {
  readonly answer: Promise<HttpAnswer>
  readonly #connections: ConnectionSource
  readonly #parts: RequestParts
  readonly #parser = new ResponseParser(this)
  readonly #settle: PromiseWithResolvers<HttpAnswer>
  #connection: Connection
  #queue: BodyQueue | undefined
  #isConnected = false
  /**
   * Time until which the server may have closed the connection before it received this request, by
   * `performance.now()`.
   */
  #staleUntil = 0
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #isSent = false
  #isOver = false

  /** @param kept a connection that has been used before; absent: a new one is opened. */
  constructor(connections: ConnectionSource, parts: RequestParts, kept?: Connection) {
    this.#connections = connections
    this.#parts = parts
    this.#settle = Promise.withResolvers()
    this.answer = this.#settle.promise
    this.#connection = kept ?? connections.connect(this)
    if (kept !== undefined) this.#begin(kept)
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  abort(): void {
    this.#fail(new Error("the request was given up"))
  }

  /** Uses another connection that became idle before its own was established. */
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
    this.#settle.resolve(new ReceivedAnswer(head, this.#queue))
  }

  onChunk(bytes: Uint8Array): void {
    this.#queue?.push(bytes)
  }

  onEnd(isReusable: boolean): void {
    this.#isOver = true
    const connection = this.#connection
    connection.hasServed = true
    // Ends the queue before the connection is reused: a finished queue can no longer reach it.
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
    // The rest of the request body is not read, either.
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
    // Once a response has arrived, only its body fails.
    this.#settle.reject(error)
  }

  /** Sends a body no faster than the server accepts it, one chunk at a time. */
  async #stream(body: ReadableStream<Uint8Array>, length: number | undefined): Promise<void> {
    const connection = this.#connection
    const reader = body.getReader()
    this.#reader = reader
    let sent = 0
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const chunk = read.value
        // An empty chunk would end the body.
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

/** Ends the previous chunk and starts the next one. */
function chunkStart(chunk: Uint8Array, sent: number): string {
  const size = `${chunk.byteLength.toString(16)}\r\n`
  return sent === 0 ? size : `\r\n${size}`
}

const LAST_CHUNK = "0\r\n\r\n"

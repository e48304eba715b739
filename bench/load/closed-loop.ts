import type { Socket } from "bun"
import type { Address } from "../subjects/subject.ts"
import { ResponseReader } from "./response-reader.ts"
import { requestBytes } from "./request.ts"

/** The results of the callers of a loop so far. */
export interface Seen {
  readonly responses: number
  readonly frames: number
  readonly chunks: number
}

interface Caller {
  readonly socket: Socket<undefined>
  readonly reader: ResponseReader
  /** The part of the request that has not been written to the socket yet; undefined if the whole request is written. */
  unsent: Buffer | undefined
}

/** Timeout for the last responses of a subject. */
const LAST_RESPONSES_TIMEOUT_MS = 30_000

/**
 * Callers that send a request, wait for the complete response, and then send the next request on the same connection.
 */
export class ClosedLoop implements Disposable {
  readonly #request: Buffer
  readonly #callers: Caller[] = []
  #isRunning = false
  #waiting = 0
  #allQuiet: (() => void) | undefined
  #responses = 0
  #frames = 0
  #chunks = 0
  #fault: Error | undefined

  private constructor(request: Buffer) {
    this.#request = request
  }

  /** Opens the connections without sending a request. */
  static async connect(address: Address, body: string, count: number): Promise<ClosedLoop> {
    const loop = new ClosedLoop(requestBytes(address, body))
    for (let number = 0; number < count; number++) await loop.#connect(address.port)
    return loop
  }

  /**
   * Returns the results so far.
   * @throws if the status of a response was not 200, or a connection was closed.
   */
  get seen(): Seen {
    if (this.#fault) throw this.#fault
    return { responses: this.#responses, frames: this.#frames, chunks: this.#chunks }
  }

  /** Starts the callers. */
  start(): void {
    this.#isRunning = true
    for (const caller of this.#callers) this.#ask(caller)
  }

  /** Stops the callers when their current requests have ended. */
  async stop(): Promise<void> {
    this.#isRunning = false
    if (this.#waiting === 0 || this.#fault) return
    const timer = setTimeout(
      () => this.#fail("the last answers did not arrive"),
      LAST_RESPONSES_TIMEOUT_MS,
    )
    await new Promise<void>((resolve) => {
      this.#allQuiet = resolve
    })
    clearTimeout(timer)
    if (this.#fault) throw this.#fault
  }

  [Symbol.dispose](): void {
    this.#isRunning = false
    for (const { socket } of this.#callers) socket.end()
  }

  async #connect(port: number): Promise<void> {
    const reader = new ResponseReader()
    const socket: Socket<undefined> = await Bun.connect<undefined>({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_socket, bytes) => this.#take(caller, bytes),
        drain: () => this.#send(caller),
        close: () => {
          if (this.#isRunning) this.#fail("the connection was closed")
        },
      },
    })
    const caller: Caller = { socket, reader, unsent: undefined }
    this.#callers.push(caller)
  }

  #ask(caller: Caller): void {
    this.#waiting++
    caller.reader.reset()
    caller.unsent = this.#request
    this.#send(caller)
  }

  #send(caller: Caller): void {
    const { socket, unsent } = caller
    if (unsent === undefined) return
    const written = socket.write(unsent)
    if (written < 0) this.#fail("the connection takes no more")
    caller.unsent = written < unsent.length ? unsent.subarray(Math.max(0, written)) : undefined
  }

  #take(caller: Caller, bytes: Buffer): void {
    const { reader } = caller
    const framesBefore = reader.frames
    const chunksBefore = reader.chunks
    const isWhole = reader.take(bytes)
    this.#frames += reader.frames - framesBefore
    this.#chunks += reader.chunks - chunksBefore
    if (!isWhole) return
    if (reader.status !== 200) this.#fail(`status ${reader.status}: ${bytes.toString()}`)
    this.#responses++
    this.#waiting--
    if (this.#isRunning) this.#ask(caller)
    else if (this.#waiting === 0) this.#allQuiet?.()
  }

  #fail(words: string): void {
    this.#fault ??= new Error(`load: ${words}`)
    this.#isRunning = false
    this.#allQuiet?.()
  }
}

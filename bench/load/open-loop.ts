import type { Socket } from "bun"
import type { Address } from "../subjects/subject.ts"
import { ResponseReader } from "./response-reader.ts"
import { requestBytes } from "./request.ts"
import { Schedule } from "./schedule.ts"

/** The rate of requests per second, and the duration in milliseconds. */
export interface Arrivals {
  readonly rate: number
  readonly duration: number
}

/** The results of an open loop. */
export interface OpenLoopResult {
  /** Microseconds from the planned start of each request until its complete response arrived. */
  readonly latencies: readonly number[]
  /** Microseconds by which the generator itself was late for each request. */
  readonly delays: readonly number[]
  /** Number of responses with a status other than 200, closed connections, and missing responses. */
  readonly failures: number
}

/** Number of connections that are opened at the beginning. */
const FIRST_CONNECTIONS = 16
/** Maximum number of connections. Further requests wait for a connection, and the wait counts as latency. */
const MAX_CONNECTIONS = 512
/** Timeout for the last responses. */
const LAST_RESPONSES_TIMEOUT_MS = 10_000
const MICROSECONDS = 1_000

interface Connection {
  readonly socket: Socket<undefined>
  readonly reader: ResponseReader
  /** The planned start of the current request; undefined if there is none. */
  planned: number | undefined
}

/** Sends requests at a fixed rate, regardless of whether earlier requests are answered. */
export async function openLoop(
  address: Address,
  body: string,
  arrivals: Arrivals,
): Promise<OpenLoopResult> {
  const loop = new OpenLoop(address, body, arrivals)
  return await loop.run()
}

class OpenLoop {
  readonly #port: number
  readonly #request: Buffer
  readonly #schedule: Schedule
  readonly #connections = new Set<Connection>()
  readonly #idle: Connection[] = []
  readonly #waiting: number[] = []
  readonly #latencies: number[] = []
  readonly #delays: number[] = []
  #connecting = 0
  #failures = 0
  #startedAt = 0
  #allDone: (() => void) | undefined

  constructor(address: Address, body: string, arrivals: Arrivals) {
    this.#port = address.port
    this.#request = requestBytes(address, body)
    this.#schedule = new Schedule(arrivals.rate, arrivals.duration)
  }

  async run(): Promise<OpenLoopResult> {
    await Promise.all(Array.from({ length: FIRST_CONNECTIONS }, () => this.#connect()))
    this.#startedAt = performance.now()
    const done = new Promise<void>((resolve) => {
      this.#allDone = resolve
    })
    const deadline = setTimeout(
      () => this.#allDone?.(),
      this.#schedule.plannedAt(this.#schedule.count) + LAST_RESPONSES_TIMEOUT_MS,
    )
    this.#tick()
    await done
    clearTimeout(deadline)
    for (const { socket } of this.#connections) socket.terminate()
    const missing = this.#schedule.count - this.#latencies.length - this.#failures
    const failures = this.#failures + missing
    return { latencies: this.#latencies, delays: this.#delays, failures }
  }

  #tick(): void {
    for (const planned of this.#schedule.due(performance.now() - this.#startedAt)) {
      this.#waiting.push(planned)
    }
    this.#sendWaiting()
    if (!this.#schedule.isOver) setTimeout(() => this.#tick(), 1)
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop()
      if (connection === undefined) {
        this.#connectMore()
        return
      }
      const planned = this.#waiting.shift() ?? 0
      connection.planned = planned
      connection.reader.reset()
      this.#delays.push(this.#since(planned))
      connection.socket.write(this.#request)
    }
  }

  #since(planned: number): number {
    return (performance.now() - this.#startedAt - planned) * MICROSECONDS
  }

  #connectMore(): void {
    const wanted = this.#waiting.length - this.#connecting
    const allowed = MAX_CONNECTIONS - this.#connections.size - this.#connecting
    for (let number = Math.min(wanted, allowed); number > 0; number--) {
      this.#connect().then(
        () => this.#sendWaiting(),
        () => {
          if (this.#waiting.shift() !== undefined) this.#fail()
        },
      )
    }
  }

  async #connect(): Promise<void> {
    this.#connecting++
    try {
      const reader = new ResponseReader()
      const socket = await Bun.connect<undefined>({
        hostname: "127.0.0.1",
        port: this.#port,
        socket: {
          data: (_, bytes) => this.#take(connection, bytes),
          close: () => this.#close(connection),
        },
      })
      const connection: Connection = { socket, reader, planned: undefined }
      this.#connections.add(connection)
      this.#idle.push(connection)
    } finally {
      this.#connecting--
    }
  }

  #take(connection: Connection, bytes: Buffer): void {
    if (!connection.reader.take(bytes) || connection.planned === undefined) return
    if (connection.reader.status === 200) this.#latencies.push(this.#since(connection.planned))
    else this.#failures++
    connection.planned = undefined
    this.#idle.push(connection)
    this.#sendWaiting()
    this.#endIfDone()
  }

  #close(connection: Connection): void {
    this.#connections.delete(connection)
    const index = this.#idle.indexOf(connection)
    if (index !== -1) this.#idle.splice(index, 1)
    if (connection.planned !== undefined) this.#fail()
  }

  #fail(): void {
    this.#failures++
    this.#endIfDone()
  }

  #endIfDone(): void {
    const ended = this.#latencies.length + this.#failures
    if (this.#schedule.isOver && ended >= this.#schedule.count) this.#allDone?.()
  }
}

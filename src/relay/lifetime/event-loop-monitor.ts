/** Phases of a request, to report which one blocks the event loop. */
const PHASES = ["decoding the request", "calling upstream", "reading the response"] as const

export type Phase = (typeof PHASES)[number]

/** Indexes in the shared memory: the turns of the loop, the current request and its phase, and two flags. */
const BEATS = 0
const WORK = 1
const PHASE = 2
const RESTS = 3
const ENDING = 4
const HEAD = 64

/**
 * `NAMES` is the number of newest requests whose names are kept, and `NAME_LENGTH` the maximum characters of each name.
 */
const NAMES = 4_096
const NAME_LENGTH = 160
const SPACE = 32
const LINE_END = 10

/**
 * Shared memory with the number of turns of the event loop and its current request. Another thread can read it while
 * the loop is blocked. The name of a request is written once, when the request arrives. Marking the request as current
 * again only writes two numbers.
 */
export class EventLoopMonitor {
  readonly memory = new SharedArrayBuffer(HEAD + NAMES * NAME_LENGTH)
  readonly #numbers = new Int32Array(this.memory, 0, HEAD / 4)
  readonly #names = new Uint8Array(this.memory, HEAD)
  #last = 0

  /** Counts a turn of the loop. No request is current afterwards. */
  beat(): void {
    this.#numbers[BEATS] = ((this.#numbers[BEATS] ?? 0) + 1) | 0
    this.#numbers[WORK] = 0
  }

  /** Adds a request and marks it as current. @returns its number for `turnTo`. */
  enter(id: string, endpoint: string, model: unknown): number {
    const work = (this.#last = (this.#last + 1) & 0x7fffffff)
    const start = (work % NAMES) * NAME_LENGTH
    const end = start + NAME_LENGTH
    let at = this.#write(String(work), start, end)
    at = this.#write(id, at, end)
    at = this.#write(endpoint, at, end)
    if (typeof model === "string") at = this.#write(model, at, end)
    if (at < end) this.#names[at] = LINE_END
    this.turnTo(work, 0)
    return work
  }

  /**
   * Writes a word and a space, up to the end of the available room. Writing single characters is faster than building a
   * string.
   */
  #write(word: string, start: number, end: number): number {
    const names = this.#names
    const length = Math.min(word.length, end - start)
    for (let index = 0; index < length; index++) names[start + index] = word.charCodeAt(index)
    const at = start + length
    if (at < end) names[at] = SPACE
    return at + 1
  }

  /**
   * Marks a request as current.
   * @param phase index of the phase in `PHASES`.
   */
  turnTo(work: number, phase: 0 | 1 | 2): void {
    this.#numbers[WORK] = work
    this.#numbers[PHASE] = phase
  }

  /** Records that a shutdown was requested, so that the process is not restarted. */
  end(): void {
    this.#numbers[ENDING] = 1
  }

  /** Records that no more requests are served, so that a blocked event loop is not reported. */
  rest(): void {
    this.#numbers[RESTS] = 1
  }
}

/** The state of an event loop. */
export interface EventLoopReading {
  readonly beats: number
  readonly rests: boolean
  readonly isEnding: boolean
  /** The current request; absent if no request is running, or if its name was overwritten. */
  readonly request?: string
  readonly endpoint?: string
  readonly model?: string
  readonly phase?: Phase
}

/** Reads the memory of a monitor. It can be called on any thread. */
export function readEventLoop(memory: SharedArrayBuffer): EventLoopReading {
  const numbers = new Int32Array(memory, 0, HEAD / 4)
  const work = Atomics.load(numbers, WORK)
  const phase = PHASES[Atomics.load(numbers, PHASE)]
  const start = HEAD + (work % NAMES) * NAME_LENGTH
  const name = Buffer.from(memory, start, NAME_LENGTH).toString("latin1")
  const [line = ""] = name.split("\n", 1)
  const [number, request, endpoint, ...rest] = line.split(" ")
  const model = rest.join(" ").trimEnd()
  return {
    beats: Atomics.load(numbers, BEATS),
    rests: Atomics.load(numbers, RESTS) === 1,
    isEnding: Atomics.load(numbers, ENDING) === 1,
    ...(number === String(work) && request && endpoint && phase
      ? { request, endpoint, ...(model && { model }), phase }
      : {}),
  }
}

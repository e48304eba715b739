/** What the event loop does with a request. */
export const PHASES = ["decoding the request", "calling upstream", "reading the answer"] as const

export type Phase = (typeof PHASES)[number]

/** Where the numbers are: how often the loop has turned, and what it turned to last. */
const BEATS = 0
const WORK = 1
const PHASE = 2
const RESTS = 3
const ENDING = 4
const HEAD = 64

/** Requests whose names are kept, the newest ones, and how many characters of each. */
const NAMES = 4_096
const NAME_LENGTH = 160
const SPACE = 32
const LINE_END = 10

/**
 * What a watchdog sees of the event loop while that stands still: how often it has turned, and what it has
 * turned to last, in memory that another thread reads. A request's name is written once, when it comes; to
 * turn to one is two words.
 */
export class Pulse {
  readonly memory = new SharedArrayBuffer(HEAD + NAMES * NAME_LENGTH)
  readonly #numbers = new Int32Array(this.memory, 0, HEAD / 4)
  readonly #names = new Uint8Array(this.memory, HEAD)
  #last = 0

  /** The loop has turned: what it turned to before is over. */
  beat(): void {
    this.#numbers[BEATS] = ((this.#numbers[BEATS] ?? 0) + 1) | 0
    this.#numbers[WORK] = 0
  }

  /** The loop turns to a new request. @returns what it is called when the loop turns to it again. */
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

  /** A word and a space, as far as there is room; a character at a time, which is quicker than to put a line together. */
  #write(word: string, start: number, end: number): number {
    const names = this.#names
    const length = Math.min(word.length, end - start)
    for (let index = 0; index < length; index++) names[start + index] = word.charCodeAt(index)
    const at = start + length
    if (at < end) names[at] = SPACE
    return at + 1
  }

  /** @param phase where it stands in `PHASES`. */
  turnTo(work: number, phase: 0 | 1 | 2): void {
    this.#numbers[WORK] = work
    this.#numbers[PHASE] = phase
  }

  /** The gateway is asked to end: it is not to be started again. */
  end(): void {
    this.#numbers[ENDING] = 1
  }

  /** No one is served any more: the loop may stand still. */
  rest(): void {
    this.#numbers[RESTS] = 1
  }
}

/** What a pulse says just now. */
export interface PulseReading {
  readonly beats: number
  readonly rests: boolean
  readonly isEnding: boolean
  /** What the loop turned to last since it beat; absent when that was no request, or one whose name is not kept. */
  readonly request?: string
  readonly endpoint?: string
  readonly model?: string
  readonly phase?: Phase
}

/** Reads the memory of a pulse, on any thread. */
export function readPulse(memory: SharedArrayBuffer): PulseReading {
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

import { readdirSync, readFileSync } from "node:fs"
import { setPriority } from "node:os"

/** Threads of the runtime that no request waits for: compilers and the memory scavenger. */
const NAMES: ReadonlySet<string> = new Set(["JITWorker", "JSCWarmUp", "mi-scavenger"])
/** Background threads get a tenth of a busy processor, which is enough for the compilers. */
const NICENESS = 10
const THREADS = "/proc/self/task"
/** Compilers end when they are idle, and begin again. */
const CHECK_INTERVAL_MS = 1_000

/**
 * Keeps threads in the background behind the event loop, where they share a processor: a request that arrives does not
 * wait until a compiler has used up its turn. Only Linux has a priority for each thread.
 */
export class BackgroundThreads implements Disposable {
  /** Threads whose priority has been set and that still run. */
  #known: ReadonlySet<string> = new Set()
  readonly #timer: ReturnType<typeof setInterval> | undefined

  constructor() {
    if (process.platform !== "linux") return
    this.#lower()
    this.#timer = setInterval(() => this.#lower(), CHECK_INTERVAL_MS)
    this.#timer.unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #lower(): void {
    const threads = listThreads()
    for (const thread of threads) if (!this.#known.has(thread)) lower(thread)
    this.#known = new Set(threads)
  }
}

function listThreads(): string[] {
  try {
    return readdirSync(THREADS)
  } catch {
    // Priorities stay unchanged if this cannot be read.
    return []
  }
}

function lower(thread: string): void {
  try {
    const name = readFileSync(`${THREADS}/${thread}/comm`, "utf8").trimEnd()
    if (NAMES.has(name)) setPriority(Number(thread), NICENESS)
  } catch {
    // It has ended meanwhile.
  }
}

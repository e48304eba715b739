import { readdirSync, readFileSync } from "node:fs"
import { getPriority, setPriority } from "node:os"

/** Background threads of the runtime: compilers and the memory scavenger. No request waits for them. */
const NAMES: ReadonlySet<string> = new Set(["JITWorker", "JSCWarmUp", "mi-scavenger"])
/** Leaves background threads a tenth of a busy processor, which is enough for compilers. Lower priorities are kept. */
const NICENESS = 10
const THREADS = "/proc/self/task"
/** Interval between searches for new threads. Compiler threads end when they are idle, and start again later. */
const CHECK_INTERVAL_MS = 1_000

/**
 * Lowers the priority of background threads below the priority of the event loop. If they share a processor, requests
 * then do not wait for compilers. Only Linux has a priority for each thread.
 */
export class BackgroundThreads implements Disposable {
  /** Threads whose priority has been set and that are still running. */
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
    // If the threads cannot be listed, priorities stay unchanged.
    return []
  }
}

function lower(thread: string): void {
  try {
    const name = readFileSync(`${THREADS}/${thread}/comm`, "utf8").trimEnd()
    if (NAMES.has(name)) setPriority(Number(thread), Math.max(NICENESS, getPriority()))
  } catch {
    // The thread has ended in the meantime.
  }
}

import { threadAddress } from "../runtime.ts"
import type { JobCommand, JobReply } from "./job-messages.ts"

/** Work for a thread. */
export interface Job {
  /** The name of the job in the thread's table of jobs. */
  readonly name: string
  readonly input: unknown
  /** The account for which the job runs. */
  readonly owner: string
  /** Buffers of the input that are moved to the thread instead of being copied. */
  readonly transfer?: readonly ArrayBuffer[]
}

/** Maximum time for loading the code of a job. The vocabulary of a tokenizer takes seconds on a busy machine. */
const LOADING_MS = 60_000

interface Running {
  readonly id: number
  readonly job: Job
  readonly resolve: (result: unknown) => void
  readonly deadlineMs: number
  timer: ReturnType<typeof setTimeout>
}

/** A thread of a pool. It runs one job at a time. If a job exceeds its deadline, the thread is terminated. */
export class PoolThread implements Disposable {
  readonly #worker: Worker
  readonly #loaded = new Set<string>()
  #running: Running | undefined
  #last = 0
  #isOver = false
  #hasEnded = false

  /** @param onEnd called when the thread has ended and its resources are released. */
  constructor(path: string, onEnd: () => void) {
    this.#worker = new Worker(threadAddress(path))
    this.#worker.addEventListener("message", ({ data }: MessageEvent<JobReply>) =>
      this.#receive(data),
    )
    this.#worker.addEventListener("error", () => this[Symbol.dispose]())
    this.#worker.addEventListener("close", () => {
      this.#hasEnded = true
      this[Symbol.dispose]()
      onEnd()
    })
    this.#worker.unref()
  }

  /** The owner of the running job; undefined while idle. */
  get owner(): string | undefined {
    return this.#running?.job.owner
  }

  /** Whether the thread was terminated and accepts no more jobs. */
  get isOver(): boolean {
    return this.#isOver
  }

  /**
   * Whether the thread has really ended. Native code, such as a regular expression, continues after the termination.
   */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  hasLoaded(name: string): boolean {
    return this.#loaded.has(name)
  }

  /**
   * Runs a job.
   * @returns the result; undefined if there is none before the deadline.
   */
  run(job: Job, deadlineMs: number): Promise<unknown> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#running = { id, job, resolve, deadlineMs, timer: this.#timer(LOADING_MS) }
      const command: JobCommand = { id, name: job.name, input: job.input }
      this.#worker.postMessage(command, [...(job.transfer ?? [])])
    })
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#worker.terminate()
    this.#finish(undefined)
  }

  #timer(milliseconds: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this[Symbol.dispose](), milliseconds)
  }

  #receive(reply: JobReply): void {
    const running = this.#running
    if (running?.id !== reply.id) return
    if (reply.state === "started") {
      this.#loaded.add(running.job.name)
      clearTimeout(running.timer)
      running.timer = this.#timer(running.deadlineMs)
    } else this.#finish(reply.state === "done" ? reply.result : undefined)
  }

  #finish(result: unknown): void {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    clearTimeout(running.timer)
    running.resolve(result)
  }
}

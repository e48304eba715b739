import { type Job, PoolThread } from "./pool-thread.ts"

/** Limits of a pool, which are the same for all of its jobs. */
export interface PoolLimits {
  readonly threads: number
  /** Milliseconds that a job may run before its thread is terminated. */
  readonly deadlineMs: number
  /** Milliseconds that a job may wait for a thread. */
  readonly maxWaitMs: number
  /** Maximum number of jobs of one owner that may wait. */
  readonly maxQueued: number
}

const LIMITS: PoolLimits = { threads: 2, deadlineMs: 1_000, maxWaitMs: 15_000, maxQueued: 64 }

/** The program of the threads with the table of all jobs, as a path under `src/`. */
const THREAD = "relay/worker/job-thread.ts"

interface Queued {
  readonly job: Job
  readonly timer: ReturnType<typeof setTimeout>
  readonly resolve: (result: unknown) => void
}

/**
 * Runs work that could block the event loop on a few threads, which start when they are first needed. If a job exceeds
 * its deadline, its thread is terminated, but no other job is affected. Another thread starts when the terminated one
 * has ended. Owners take turns, and one owner never occupies all threads.
 */
export class WorkerPool implements Disposable {
  readonly #limits: PoolLimits
  readonly #threads = new Set<PoolThread>()
  /** Waiting jobs by owner, in the order of the owners' turns. */
  readonly #queues = new Map<string, Queued[]>()

  constructor(limits: Partial<PoolLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * Runs a job.
   * @returns its result; undefined if it failed, exceeded its deadline, or could not start in time.
   */
  run(job: Job): Promise<unknown> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(job.owner) ?? []
      if (queue.length >= this.#limits.maxQueued) return resolve(undefined)
      const queued: Queued = {
        job,
        resolve,
        timer: setTimeout(() => this.#giveUp(queued), this.#limits.maxWaitMs),
      }
      queue.push(queued)
      this.#queues.set(job.owner, queue)
      this.#dispatch()
    })
  }

  [Symbol.dispose](): void {
    const waiting = [...this.#queues.values()].flat()
    this.#queues.clear()
    for (const { timer, resolve } of waiting) {
      clearTimeout(timer)
      resolve(undefined)
    }
    for (const thread of this.#threads) thread[Symbol.dispose]()
    this.#threads.clear()
  }

  /** Starts waiting jobs while threads are available for them. */
  #dispatch(): void {
    for (;;) {
      const owner = this.#nextOwner()
      const queue = owner === undefined ? undefined : this.#queues.get(owner)
      const next = queue?.[0]
      if (owner === undefined || queue === undefined || next === undefined) return
      const thread = this.#threadFor(next.job)
      if (thread === undefined) return
      queue.shift()
      this.#queues.delete(owner)
      if (queue.length > 0) this.#queues.set(owner, queue)
      clearTimeout(next.timer)
      void this.#runOn(thread, next)
    }
  }

  async #runOn(thread: PoolThread, { job, resolve }: Queued): Promise<void> {
    resolve(await thread.run(job, this.#limits.deadlineMs))
    this.#dispatch()
  }

  #nextOwner(): string | undefined {
    const most = Math.max(1, this.#limits.threads - 1)
    for (const owner of this.#queues.keys()) {
      let running = 0
      for (const thread of this.#threads) if (thread.owner === owner) running++
      if (running < most) return owner
    }
    return undefined
  }

  /** Returns an idle thread, preferably one that has already loaded the code of the job. */
  #threadFor({ name }: Job): PoolThread | undefined {
    for (const thread of this.#threads) if (thread.hasEnded) this.#threads.delete(thread)
    const idle = [...this.#threads].filter(({ owner, isOver }) => owner === undefined && !isOver)
    const found = idle.find((thread) => thread.hasLoaded(name)) ?? idle[0]
    if (found !== undefined || this.#threads.size >= this.#limits.threads) return found
    const thread = new PoolThread(THREAD, () => this.#dispatch())
    this.#threads.add(thread)
    return thread
  }

  #giveUp(queued: Queued): void {
    const { owner } = queued.job
    const rest = this.#queues.get(owner)?.filter((one) => one !== queued) ?? []
    if (rest.length > 0) this.#queues.set(owner, rest)
    else this.#queues.delete(owner)
    queued.resolve(undefined)
  }
}

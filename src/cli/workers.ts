import type { Snapshot } from "../metrics/registry.ts"
import type { Events } from "../telemetry/events.ts"
import { SANDBOX_VARIABLE, WORKER_VARIABLE } from "./gateway-process.ts"
import { type MetricsFromWorker, type MetricsToWorker, WorkerMetrics } from "./worker-metrics.ts"

/** A worker that dies is started again, but not faster than this; milliseconds. */
const MIN_RESTART_DELAY_MS = 1_000
/** How often a worker reports that its event loop runs, and how often its parent checks; milliseconds. */
const HEARTBEAT_INTERVAL_MS = 250
/** A worker's own watchdog, which can report what it was doing, acts earlier by this much; milliseconds. */
const WATCHDOG_LEAD_MS = 1_500
/** A check that is late by so many intervals shows that the parent hung as well. */
const MISSED_CHECKS_OF_SLEEP = 4

/** How long a worker waits for the metrics of all, milliseconds. */
const METRICS_TIMEOUT_MS = 5_000

/** The messages between a worker and its parent. */
type FromWorker = "listening" | "beat" | MetricsFromWorker
type ToWorker = "stop-waiting" | MetricsToWorker

export interface WorkerOptions {
  readonly count: number
  /** The shared port. */
  readonly port: number
  /** The command line of a worker, the program first. */
  readonly words: readonly string[]
  readonly sandboxUrl: string | undefined
  /** How long a worker may hang before it is ended, milliseconds; 0: forever. */
  readonly timeoutMs: number
  readonly events: Pick<Events, "workerKilled">
}

interface WorkerProcess {
  readonly number: number
  readonly child: Bun.Subprocess
  readonly listening: Promise<void>
  /** By `performance.now()`; undefined until it listens. */
  seenAt: number | undefined
  isKilled: boolean
}

/** The serving processes of one machine, watched by this one, which serves nothing itself. */
export class Workers implements AsyncDisposable {
  readonly #options: WorkerOptions
  readonly #running = new Set<WorkerProcess>()
  readonly #metrics = new WorkerMetrics(() => [...this.#running].map(({ child }) => child))
  readonly #timer: ReturnType<typeof setInterval> | undefined
  /** Delays until dead workers are restarted. */
  readonly #pauses = new Set<ReturnType<typeof setTimeout>>()
  #checkedAt = performance.now()
  #isEnding = false

  private constructor(options: WorkerOptions) {
    this.#options = options
    if (options.timeoutMs > 0) {
      this.#timer = setInterval(() => this.#check(performance.now()), HEARTBEAT_INTERVAL_MS)
    }
  }

  /** Starts them and waits until each one listens. */
  static async start(options: WorkerOptions): Promise<Workers> {
    const workers = new Workers(options)
    const numbers = Array.from({ length: options.count }, (_, index) => index + 1)
    await Promise.all(numbers.map((number) => workers.#spawn(number).listening))
    return workers
  }

  /** The metrics of all of them. */
  metrics(): Promise<readonly Snapshot[]> {
    return this.#metrics.gather()
  }

  /** Passes a signal on to all of them. */
  signal(name: NodeJS.Signals): void {
    for (const { child } of this.#running) child.kill(name)
  }

  /** Makes them stop waiting for running requests, now or on shutdown. */
  stopWaiting(): void {
    for (const { child } of this.#running) {
      try {
        child.send("stop-waiting" satisfies ToWorker)
      } catch {
        // It has just ended.
      }
    }
  }

  /** Asks them to end and waits until they have. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    // A pending timer would keep this process alive.
    for (const pause of this.#pauses) clearTimeout(pause)
    this.signal("SIGTERM")
    await Promise.all([...this.#running].map(({ child }) => child.exited))
    clearInterval(this.#timer)
  }

  #spawn(number: number): WorkerProcess {
    const { words, port, sandboxUrl } = this.#options
    const { promise: listening, resolve } = Promise.withResolvers<void>()
    const child = Bun.spawn([...words], {
      env: {
        ...process.env,
        [WORKER_VARIABLE]: String(number),
        TOLLGATE_PORT: String(port),
        ...(sandboxUrl === undefined ? {} : { [SANDBOX_VARIABLE]: sandboxUrl }),
      },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: (message: FromWorker) => {
        if (message === "listening") resolve()
        worker.seenAt = performance.now()
        if (typeof message === "object") this.#metrics.take(child, message)
      },
      onExit: () => {
        resolve()
        this.#metrics.ended(child)
        this.#running.delete(worker)
        if (!this.#isEnding) this.#replaceSoon(worker)
      },
    })
    const worker: WorkerProcess = {
      number,
      child,
      listening,
      seenAt: undefined,
      isKilled: false,
    }
    this.#running.add(worker)
    return worker
  }

  #replaceSoon({ number }: WorkerProcess): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause)
      if (!this.#isEnding) this.#spawn(number)
    }, MIN_RESTART_DELAY_MS)
    this.#pauses.add(pause)
  }

  /** Ends workers that hang. */
  #check(now: number): void {
    const wasAsleep = now - this.#checkedAt > MISSED_CHECKS_OF_SLEEP * HEARTBEAT_INTERVAL_MS
    this.#checkedAt = now
    for (const worker of this.#running) {
      if (worker.seenAt === undefined) continue
      if (wasAsleep) worker.seenAt = now
      const silence = now - worker.seenAt
      if (silence > this.#options.timeoutMs + WATCHDOG_LEAD_MS) this.#kill(worker, silence)
    }
  }

  #kill(worker: WorkerProcess, silence: number): void {
    if (worker.isKilled) return
    worker.isKilled = true
    const { child } = worker
    this.#options.events.workerKilled(child.pid, silence)
    child.kill("SIGKILL")
  }
}

/** A worker's connection to its parent. While it is open, the process does not end. */
export class ParentLine implements Disposable {
  #timer: ReturnType<typeof setInterval> | undefined
  /** Called when running requests are no longer waited for. */
  onStopWaiting: (() => void) | undefined
  /** Called when the parent wants to know what this worker has counted. */
  onMetricsWanted: (() => Promise<Snapshot>) | undefined
  #onAllMetrics: ((text: string | undefined) => void) | undefined

  constructor() {
    process.on("message", this.#onMessage)
  }

  /** Tells the parent that this worker listens, and from then on that its event loop runs. */
  reportListening(): void {
    this.#report("listening")
    this.#timer = setInterval(() => this.#report("beat"), HEARTBEAT_INTERVAL_MS)
  }

  /** The metrics of all workers, as text. @throws Error when the parent does not answer. */
  async allMetrics(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#onAllMetrics = resolve
    this.#report({ kind: "all-metrics-wanted" })
    const text = await Promise.race([promise, Bun.sleep(METRICS_TIMEOUT_MS)])
    if (text === undefined) throw new Error("the metrics of the other workers are not available")
    return text
  }

  /** Tells the parent what this worker has counted. */
  async reportMetrics(): Promise<void> {
    const snapshot = await this.onMetricsWanted?.()
    if (snapshot) this.#report({ kind: "metrics", snapshot })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    process.off("message", this.#onMessage)
    if (process.connected) process.disconnect?.()
  }

  readonly #onMessage = (message: ToWorker): void => {
    if (message === "stop-waiting") this.onStopWaiting?.()
    else if (message.kind === "all-metrics") this.#onAllMetrics?.(message.text)
    else void this.reportMetrics()
  }

  #report(message: FromWorker): void {
    if (process.connected) process.send?.(message)
  }
}

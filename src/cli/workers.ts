import type { Snapshot } from "../metrics/registry.ts"
import type { Events } from "../telemetry/events.ts"
import { SANDBOX_VARIABLE, WORKER_VARIABLE } from "./gateway-process.ts"
import { type MetricsFromWorker, type MetricsToWorker, WorkerMetrics } from "./worker-metrics.ts"

const MIN_RESTART_DELAY_MS = 1_000
/** Interval of a worker's heartbeats, and of its parent's checks. */
const HEARTBEAT_INTERVAL_MS = 250
/** A worker's own watchdog reacts this much earlier than its parent, because it can report the cause. */
const WATCHDOG_LEAD_MS = 1_500
/** Number of missed check intervals after which the parent counts as suspended. Its workers then get a new timeout. */
const MISSED_CHECKS_OF_SLEEP = 4

const METRICS_TIMEOUT_MS = 5_000

/** Messages between a worker and its parent. */
type FromWorker = "listening" | "beat" | MetricsFromWorker
type ToWorker = "stop-waiting" | MetricsToWorker

export interface WorkerOptions {
  readonly count: number
  readonly port: number
  /** The command line of a worker, starting with the program. */
  readonly words: readonly string[]
  readonly sandboxUrl: string | undefined
  /** Maximum time that a worker may hang before it is ended; 0 for no limit. */
  readonly timeoutMs: number
  readonly events: Pick<Events, "workerKilled">
}

interface WorkerProcess {
  readonly number: number
  readonly child: Bun.Subprocess
  readonly listening: Promise<void>
  /** Time of the last heartbeat by `performance.now()`; undefined until the worker listens. */
  seenAt: number | undefined
  isKilled: boolean
}

/** The processes that serve on one machine. This process supervises them and serves nothing itself. */
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

  /** Starts the workers and waits until each one listens. */
  static async start(options: WorkerOptions): Promise<Workers> {
    const workers = new Workers(options)
    const numbers = Array.from({ length: options.count }, (_, index) => index + 1)
    await Promise.all(numbers.map((number) => workers.#spawn(number).listening))
    return workers
  }

  metrics(): Promise<readonly Snapshot[]> {
    return this.#metrics.gather()
  }

  /** Forwards a signal to all workers. */
  signal(name: NodeJS.Signals): void {
    for (const { child } of this.#running) child.kill(name)
  }

  /** Makes the workers stop waiting for running requests, now or on shutdown. */
  stopWaiting(): void {
    for (const { child } of this.#running) {
      try {
        child.send("stop-waiting" satisfies ToWorker)
      } catch {
        // The worker has just ended.
      }
    }
  }

  /** Asks the workers to end and waits until they have. */
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

/** A worker's connection to its parent. While the connection is open, the process does not end. */
export class ParentLine implements Disposable {
  #timer: ReturnType<typeof setInterval> | undefined
  /** Called when the worker should stop waiting for running requests. */
  onStopWaiting: (() => void) | undefined
  /** Called when the parent requests this worker's metrics. */
  onMetricsWanted: (() => Promise<Snapshot>) | undefined
  #onAllMetrics: ((text: string | undefined) => void) | undefined

  constructor() {
    process.on("message", this.#onMessage)
  }

  /** Reports to the parent that this worker listens, and sends heartbeats from then on. */
  reportListening(): void {
    this.#report("listening")
    this.#timer = setInterval(() => this.#report("beat"), HEARTBEAT_INTERVAL_MS)
  }

  /** Returns the metrics of all workers as text. @throws Error if the parent does not respond. */
  async allMetrics(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#onAllMetrics = resolve
    this.#report({ kind: "all-metrics-wanted" })
    const text = await Promise.race([promise, Bun.sleep(METRICS_TIMEOUT_MS)])
    if (text === undefined) throw new Error("the metrics of the other workers are not available")
    return text
  }

  /** Sends this worker's metrics to the parent. */
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

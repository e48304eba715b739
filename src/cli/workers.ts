import { SANDBOX_VARIABLE, WORKER_VARIABLE } from "./gateway-process.ts"

/** A worker that dies is started again, but not faster than this; milliseconds. */
const RESTART_PAUSE = 1_000

export interface WorkerOptions {
  readonly count: number
  /** The one they share. */
  readonly port: number
  /** The command line of a worker, the program first. */
  readonly words: readonly string[]
  readonly sandboxUrl: string | undefined
}

/** The serving processes of one machine, watched by this one, which serves nothing itself. */
export class Workers implements AsyncDisposable {
  readonly #options: WorkerOptions
  readonly #children = new Map<number, Bun.Subprocess>()
  #isEnding = false

  private constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** Starts them and waits until each one listens. */
  static async start(options: WorkerOptions): Promise<Workers> {
    const workers = new Workers(options)
    const numbers = Array.from({ length: options.count }, (_, index) => index + 1)
    await Promise.all(numbers.map((number) => workers.#spawn(number)))
    return workers
  }

  /** Passes a signal on to all of them. */
  signal(name: NodeJS.Signals): void {
    for (const child of this.#children.values()) child.kill(name)
  }

  /** Asks them to end and waits until they have. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    this.signal("SIGTERM")
    await Promise.all([...this.#children.values()].map((child) => child.exited))
  }

  /** Resolves when the worker says that it listens, or has ended before it did. */
  #spawn(number: number): Promise<void> {
    const { words, port, sandboxUrl } = this.#options
    const listening = Promise.withResolvers<void>()
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
      ipc: () => listening.resolve(),
      onExit: () => {
        listening.resolve()
        this.#children.delete(number)
        if (!this.#isEnding) setTimeout(() => this.#restart(number), RESTART_PAUSE)
      },
    })
    this.#children.set(number, child)
    return listening.promise
  }

  #restart(number: number): void {
    if (!this.#isEnding) void this.#spawn(number)
  }
}

/** A worker's line to its parent. While it is open, the process does not end. */
export class ParentLine implements Disposable {
  /** Tells the parent that this worker listens. */
  tellListening(): void {
    process.send?.("listening")
  }

  [Symbol.dispose](): void {
    if (process.connected) process.disconnect?.()
  }
}

import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import { type Installation, type ServingProcess, startServing } from "../test/support/process.ts"

const CLOCK_PROGRAM = join(import.meta.dir, "clock.ts")
/** Interval between attempts to start while the disk is full or the database is unreachable. */
const RETRY_INTERVAL_MS = 250

/** A `tollgate serve` process that is killed, frozen and restarted. */
export class TortureNode {
  readonly index: number
  /** Number of times that the process ended unexpectedly. */
  crashes = 0
  readonly #installation: Installation
  readonly #clock: string
  #serving: ServingProcess | undefined
  /** The log of all processes of this node. */
  #log = ""
  #isExpectedToEnd = true
  #isOver = false

  constructor(index: number, installation: Installation) {
    this.index = index
    this.#installation = installation
    this.#clock = join(installation.data, `clock-${index}`)
    this.shiftClock(0)
  }

  /** The address of the node; undefined while it is not running. */
  get url(): string | undefined {
    return this.#serving?.url
  }

  get isRunning(): boolean {
    return this.#serving !== undefined
  }

  /** Returns the log of all processes of this node so far. */
  get log(): string {
    return this.#log + (this.#serving?.errors() ?? "")
  }

  /** Starts the process, with as many attempts as necessary. */
  async start(): Promise<void> {
    while (this.#serving === undefined && !this.#isOver) {
      try {
        const serving = await startServing(this.#installation, {
          BUN_OPTIONS: `--preload=${CLOCK_PROGRAM}`,
          TORTURE_CLOCK: this.#clock,
        })
        this.#serving = serving
        this.#isExpectedToEnd = false
        void serving.process.exited.then(() => this.#ended(serving))
      } catch (error) {
        this.#log += `${error instanceof Error ? error.message : error}\n`
        await Bun.sleep(RETRY_INTERVAL_MS)
      }
    }
  }

  /** Kills the process (`kill -9`). Resolves when it has ended. */
  kill(): Promise<number> {
    return this.#end("SIGKILL")
  }

  /**
   * Stops the process with SIGTERM. Resolves when it has ended.
   * @returns the exit code.
   */
  stop(): Promise<number> {
    return this.#end("SIGTERM")
  }

  freeze(): void {
    this.#serving?.process.kill("SIGSTOP")
  }

  thaw(): void {
    this.#serving?.process.kill("SIGCONT")
  }

  /** Shifts the wall clock of the node by the given number of milliseconds from the real time. */
  shiftClock(milliseconds: number): void {
    const file = openSync(this.#clock, "a+")
    closeSync(file)
    const writing = openSync(this.#clock, "r+")
    writeSync(writing, new Float64Array([milliseconds]), 0, 8, 0)
    closeSync(writing)
  }

  /** Ends the node permanently. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.kill()
  }

  async #end(signal: "SIGKILL" | "SIGTERM"): Promise<number> {
    const serving = this.#serving
    if (!serving) return 0
    this.#isExpectedToEnd = true
    serving.process.kill(signal)
    // The process is unfrozen first, because a frozen process would not end.
    serving.process.kill("SIGCONT")
    return serving.process.exited
  }

  /** Restarts a process that ended unexpectedly, as a supervisor would. */
  #ended(serving: ServingProcess): void {
    this.#log += serving.errors()
    this.#serving = undefined
    if (this.#isExpectedToEnd) return
    this.crashes++
    this.#log += `torture: node ${this.index} ended by itself: ${serving.process.exitCode} ${serving.process.signalCode}\n`
    void this.start()
  }
}

import { App } from "../app.ts"
import { Redactor } from "../canon/redactor.ts"
import { extraCertificatesProblem } from "../config/extra-certificates.ts"
import { secretsOf } from "../config/secret-values.ts"
import { logLevel } from "../config/environment.ts"
import type { LoadedSettings, LoadOptions } from "../config/load.ts"
import { watchSettings } from "../config/watch.ts"
import { createEvents } from "../telemetry/log-events.ts"
import { createLogger } from "../telemetry/logger.ts"
import { reloadSettings } from "./reload-settings.ts"
import type { ProcessStart } from "./replace-process.ts"
import { EventLoopMonitor } from "../relay/lifetime/event-loop-monitor.ts"
import { threadAddress } from "../runtime.ts"
import type { WatchdogCommand } from "./watchdog-thread.ts"

/** Variables that pass the simulator's address to the workers and mark them as workers. */
export const SANDBOX_VARIABLE = "TOLLGATE_SANDBOX_URL"
export const WORKER_VARIABLE = "TOLLGATE_WORKER_NUMBER"

export interface GatewayOptions {
  readonly load: LoadOptions
  readonly loaded: LoadedSettings
  /** The address of the simulator, if it replaces the vendors. */
  readonly sandboxUrl: string | undefined
  readonly isShared: boolean
  /** Returns the metrics of all workers as text; absent if there are no workers. */
  readonly gatherMetrics?: () => Promise<string>
  /** Returns the command that restarts the process if it hangs; absent if its parent restarts it. */
  readonly restart?: (url: string) => ProcessStart
}

/** A gateway in this process. It applies changes to its settings file. */
export interface Gateway extends AsyncDisposable {
  readonly app: App
}

/** Starts the gateway. Changed settings are applied while it runs. Invalid settings are rejected and reported. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { load, loaded, sandboxUrl, isShared, gatherMetrics } = options
  const logger = createLogger({ level: logLevel(process.env) })
  const redactor = new Redactor()
  redactor.addSecrets(secretsOf(loaded.settings))
  const events = createEvents(logger, (text) => redactor.clean(text))
  const certificates = extraCertificatesProblem(process.env)
  if (certificates !== undefined) events.warning(certificates)
  await using building = new AsyncDisposableStack()
  const { settings } = loaded
  // The watchdog runs until the gateway has ended.
  const watchdog = building.use(new Watchdog())
  const { monitor } = watchdog
  const listening = {
    isShared,
    // Only on Linux can a replacing gateway find the gateway that listens on the port.
    sharesPort: process.platform === "linux",
    ...(gatherMetrics && { gatherMetrics }),
  }
  const app = building.use(
    await App.start({ ...loaded, sandboxUrl, events, redactor, monitor, ...listening }),
  )
  watchdog.start(settings.server.watchdog, options.restart?.(app.listensAt))
  const watcher = building.use(
    watchSettings({
      load: (file) => reloadSettings(file === undefined ? load : { ...load, file }),
      started: loaded,
      onChange: async (next, { changed, restartNeeded }) => {
        await app.apply(next.settings, next.written, next.warnings)
        events.settingsApplied(changed)
        if (restartNeeded.length > 0) {
          events.warning(`these settings need a restart: ${restartNeeded.join(", ")}`)
        }
      },
      onError: (error) => events.settingsRejected(error.message),
    }),
  )
  const reload = (): void => void watcher.reload()
  process.on("SIGHUP", reload)
  building.defer(() => void process.off("SIGHUP", reload))
  const running = building.move()
  return { app, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/**
 * Milliseconds within which a second signal counts as a copy of the first. Some process managers forward a signal that
 * every process has already received.
 */
const SAME_SIGNAL_MS = 250

/**
 * Handles the signals that end this process. The handlers are never removed, because a signal during the exit would
 * otherwise change the exit status.
 */
export class EndRequests {
  /** Resolves with the first signal, or when the parent of this worker has ended. */
  readonly first: Promise<void>
  /** Called for each further signal. */
  onAgain: (() => void) | undefined
  readonly #resolve: () => void
  #firstAt: number | undefined

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.first = promise
    this.#resolve = resolve
    for (const signal of SIGNALS) process.on(signal, this.#onSignal)
    for (const signal of IGNORED_SIGNALS) process.on(signal, ignore)
    process.once("disconnect", resolve)
  }

  readonly #onSignal = (): void => {
    const now = performance.now()
    if (this.#firstAt === undefined) {
      this.#firstAt = now
      this.#resolve()
    } else if (now - this.#firstAt > SAME_SIGNAL_MS) this.onAgain?.()
  }
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT"] as const

/**
 * Signals that log rotation tools send. Without a handler, they would end the process immediately. SIGHUP also has a
 * handler that reloads the settings, which is not active while the gateway starts or drains.
 */
const IGNORED_SIGNALS = ["SIGUSR1", "SIGUSR2", "SIGHUP"] as const

function ignore(): void {}

/** Delay of the thread's start, so that it does not slow down the first requests. */
const START_DELAY_MS = 1_000

/**
 * Watches the event loop of this process from a separate thread. A blocked loop is logged, and the
 * process is restarted (docs/contribute/design-notes.md#the-watchdog).
 */
class Watchdog implements Disposable {
  /** Receives heartbeats while the event loop runs. */
  readonly monitor = new EventLoopMonitor()
  #timer: ReturnType<typeof setTimeout> | undefined
  #thread: Worker | undefined

  /**
   * Starts watching.
   * @param timeoutMs maximum time that the loop may hang; 0 for no limit.
   * @param restart the command that restarts the process; absent if its parent restarts it.
   */
  start(timeoutMs: number, restart: ProcessStart | undefined): void {
    if (timeoutMs === 0) return
    const command: WatchdogCommand = { memory: this.monitor.memory, timeoutMs, restart }
    this.#timer = setTimeout(() => {
      this.#thread = new Worker(threadAddress("cli/watchdog-thread.ts"))
      this.#thread.postMessage(command)
      this.#thread.unref()
    }, START_DELAY_MS)
    this.#timer.unref()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#thread?.terminate()
  }
}

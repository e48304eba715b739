import type { Redactor } from "../canon/redactor.ts"
import type { Settings } from "../config/settings.ts"
import type { Pace } from "../http/incoming-body.ts"
import type { EventLoopMonitor } from "../relay/lifetime/event-loop-monitor.ts"
import type { Events } from "../telemetry/events.ts"
import type { WorkerPool } from "../workers/worker-pool.ts"

/** Start options of a gateway. */
export interface AppOptions {
  /** The settings from the file and the environment. They override the settings of the console. */
  readonly settings: Settings
  readonly events: Events
  /** Whether other processes listen on the same port. */
  readonly isShared: boolean
  /** Whether a replacing gateway may listen on the same port at the same time. */
  readonly sharesPort?: boolean
  /** Names of console settings that the file overrides. */
  readonly written?: readonly string[]
  /** Warnings about the file and the environment. */
  readonly warnings?: readonly string[]
  /** Address of the simulator if it replaces the vendors. */
  readonly sandboxUrl?: string | undefined
  /** Path of the settings file, shown in the console. */
  readonly file?: string | undefined
  /** Returns the metrics of all processes as text; absent for a single process. */
  readonly gatherMetrics?: () => Promise<string>
  /** Interval of keep-alive comments in milliseconds. Tests use a shorter one. */
  readonly keepAlive?: number
  readonly pace?: Pace
  /** Interval of checks for notices in milliseconds. Tests use a shorter one. */
  readonly noticePace?: number
  /** Interval of checks for newer prices in milliseconds. Tests use a shorter one. */
  readonly pricePace?: number
  /** Receives the secrets of the settings. The logger must use the same instance. */
  readonly redactor?: Redactor
  /** Signals to a watchdog that the event loop is running. */
  readonly monitor?: EventLoopMonitor
  /** If absent, the app starts its own pool. Tests share one, because loading its code takes most of a second. */
  readonly pool?: WorkerPool
  /** Returns the current time in Unix milliseconds, which decides when idempotency keys expire. */
  readonly now?: () => number
}

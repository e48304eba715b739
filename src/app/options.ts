import type { Redactor } from "../canon/redactor.ts"
import type { Settings } from "../config/settings.ts"
import type { Pace } from "../http/incoming-body.ts"
import type { EventLoopMonitor } from "../relay/lifetime/event-loop-monitor.ts"
import type { Events } from "../telemetry/events.ts"
import type { WorkerPool } from "../workers/worker-pool.ts"

/** Start options of a gateway. */
export interface AppOptions {
  /** The settings from the file and the environment. They override those of the console. */
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
  /** Address of the simulator, if it acts as the vendor. */
  readonly sandboxUrl?: string | undefined
  /** Path of the settings file, shown in the console. */
  readonly file?: string | undefined
  /** Returns the metrics of all processes as text; absent for a single process. */
  readonly gatherMetrics?: () => Promise<string>
  /** Interval of keep-alive comments in milliseconds; shortened by tests. */
  readonly keepAlive?: number
  readonly pace?: Pace
  /** Interval of checks for notices in milliseconds; shortened by tests. */
  readonly noticePace?: number
  /** Interval of checks for newer prices in milliseconds; shortened by tests. */
  readonly pricePace?: number
  /** Receives the secrets of the settings. The logger uses the same instance. */
  readonly redactor?: Redactor
  /** Signals to a watchdog that the event loop is running. */
  readonly monitor?: EventLoopMonitor
  /** If absent, the app starts its own. Tests share one, because its code takes most of a second to load. */
  readonly pool?: WorkerPool
  /** Unix milliseconds; decides when idempotency keys expire. */
  readonly now?: () => number
}

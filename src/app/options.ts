import type { Redactor } from "../canon/redactor.ts"
import type { Settings } from "../config/settings.ts"
import type { Pace } from "../http/incoming-body.ts"
import type { EventLoopMonitor } from "../relay/lifetime/event-loop-monitor.ts"
import type { Events } from "../telemetry/events.ts"
import type { WorkerPool } from "../workers/worker-pool.ts"

/** What a gateway is started with. */
export interface AppOptions {
  /** The settings from the file and the environment. They override what the console has set. */
  readonly settings: Settings
  readonly events: Events
  /** Whether other processes listen on the same port. */
  readonly isShared: boolean
  /** Whether a gateway that replaces this one may listen on the port beside it. */
  readonly sharesPort?: boolean
  /** Names of the settings that the file sets, of those that the console can change. */
  readonly written?: readonly string[]
  /** Warnings about the file and the environment. */
  readonly warnings?: readonly string[]
  /** Where the simulator is, when it plays the vendor. */
  readonly sandboxUrl?: string | undefined
  /** The settings file, for the console to name. */
  readonly file?: string | undefined
  /** The metrics of all processes, as text; absent: this one is alone. */
  readonly gatherMetrics?: () => Promise<string>
  /** Milliseconds; tests shorten it. */
  readonly keepAlive?: number
  readonly pace?: Pace
  /** How often what people are told of is looked at, milliseconds; tests shorten it. */
  readonly noticePace?: number
  /** How often newer prices are looked for, milliseconds; for tests. */
  readonly pricePace?: number
  /** Is given the secrets of the settings; the logger uses the same one. */
  readonly redactor?: Redactor
  /** Shows to a watchdog that the event loop runs. */
  readonly monitor?: EventLoopMonitor
  /** If absent, the app starts its own. Tests share one, because its code takes most of a second to load. */
  readonly pool?: WorkerPool
  /** Unix milliseconds; decides when idempotency keys expire. */
  readonly now?: () => number
}

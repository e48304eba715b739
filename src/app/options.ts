import type { Redactor } from "../canon/redactor.ts"
import type { Settings } from "../config/settings.ts"
import type { Pace } from "../http/incoming-body.ts"
import type { Pulse } from "../relay/pipeline/pulse.ts"
import type { Events } from "../telemetry/events.ts"

/** What a gateway is started with. */
export interface AppOptions {
  /** What the file and the environment say. What the console has set comes under it. */
  readonly settings: Settings
  readonly events: Events
  /** Whether other processes listen on the same port. */
  readonly isShared: boolean
  /** Names of the settings that the file says, of those that the console can change. */
  readonly written?: readonly string[]
  /** Where the simulator is, when it plays the vendor. */
  readonly sandboxUrl?: string | undefined
  /** The settings file, for the console to name. */
  readonly file?: string | undefined
  /** Milliseconds; for tests, which cannot wait so long. */
  readonly keepAlive?: number
  readonly pace?: Pace
  /** Learns the secrets of the settings; whoever writes the log shares it. */
  readonly redactor?: Redactor
  /** Beats while the event loop turns, for who watches it. */
  readonly pulse?: Pulse
  /** Unix milliseconds, by which idempotency keys expire. */
  readonly now?: () => number
}

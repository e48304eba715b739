import { readFileSync } from "node:fs"
import { uptime } from "node:os"

/** Maximum difference between clocks in milliseconds. A larger difference means that the machine was suspended. */
const MAX_STRAY = 1_500

/**
 * Returns milliseconds since the machine booted. All processes of the machine agree to within a few milliseconds.
 * Changes to the system time have no effect. After the machine was suspended, the time may jump forward.
 */
export class MachineClock {
  #offset = sinceStart() - performance.now()

  readonly now = (): number => performance.now() + this.#offset

  /** Corrects for the time that the machine was asleep, because some clocks stop then. It is called regularly. */
  adjust(): void {
    const offset = sinceStart() - performance.now()
    if (offset - this.#offset > MAX_STRAY) this.#offset = offset
  }
}

/** Returns the time since boot. Linux provides hundredths of a second in a file, and other systems whole seconds. */
function sinceStart(): number {
  try {
    return Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1_000
  } catch {
    return uptime() * 1_000
  }
}

import { readFileSync } from "node:fs"
import { uptime } from "node:os"

/** Clocks that differ by more than this were suspended for a time, milliseconds. */
const MAX_STRAY = 1_500

/**
 * Milliseconds since the machine booted: the same in all of its processes to within some milliseconds, and not
 * adjustable. It may leap forward after the machine was suspended.
 */
export class MachineClock {
  #offset = sinceStart() - performance.now()

  readonly now = (): number => performance.now() + this.#offset

  /** Some clocks stop while a machine sleeps; called regularly, it corrects for that. */
  adjust(): void {
    const offset = sinceStart() - performance.now()
    if (offset - this.#offset > MAX_STRAY) this.#offset = offset
  }
}

/** Linux reports hundredths of a second in a file; other systems whole seconds. */
function sinceStart(): number {
  try {
    return Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1_000
  } catch {
    return uptime() * 1_000
  }
}

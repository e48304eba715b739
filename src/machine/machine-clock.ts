import { readFileSync } from "node:fs"
import { uptime } from "node:os"

/** Clocks that stray from each other by more than this were stopped for a time, milliseconds. */
const MAX_STRAY = 1_500

/**
 * Milliseconds since the machine was started: the same in all of its processes but for some milliseconds,
 * and set by no one. It may leap forward after the machine was suspended.
 */
export class MachineClock {
  #offset = sinceStart() - performance.now()

  readonly now = (): number => performance.now() + this.#offset

  /** Some clocks stand still while a machine sleeps; called now and then, it sees that this one did. */
  adjust(): void {
    const offset = sinceStart() - performance.now()
    if (offset - this.#offset > MAX_STRAY) this.#offset = offset
  }
}

/** Linux tells hundredths of a second in a file, and every system whole seconds. */
function sinceStart(): number {
  try {
    return Number.parseFloat(readFileSync("/proc/uptime", "latin1")) * 1_000
  } catch {
    return uptime() * 1_000
  }
}

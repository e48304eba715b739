import { readFileSync } from "node:fs"
import { hostname } from "node:os"

/**
 * What names this start of this machine: Linux gives each an id of its own, which containers share as they share
 * memory and locks. Elsewhere the machine's name has to do.
 */
export function bootName(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
  } catch {
    return hostname()
  }
}

import { readFileSync } from "node:fs"
import { hostname } from "node:os"

/**
 * Returns a name for this boot of this machine. On Linux, each boot has an id, which containers share in the same way
 * as memory and locks. On other systems, the host name is used.
 */
export function bootName(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
  } catch {
    return hostname()
  }
}

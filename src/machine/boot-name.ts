import { readFileSync } from "node:fs"
import { hostname } from "node:os"

/**
 * Identifies this boot of this machine: Linux gives each boot an id, which containers share as they share
 * memory and locks. Elsewhere the host name is used.
 */
export function bootName(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
  } catch {
    return hostname()
  }
}

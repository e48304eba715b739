import { readFileSync } from "node:fs"
import { hostname } from "node:os"

/**
 * Returns a name for this boot of this machine. On Linux, it is the kernel's boot id, which all containers of a machine
 * share. On other systems, it is the host name.
 */
export function bootName(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()
  } catch {
    return hostname()
  }
}

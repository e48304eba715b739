import { readFileSync } from "node:fs"

/** The kernel's state of a process or a thread; always `unknown` except on Linux. */
export type KernelState = "computes" | "waits" | "waits for the disk" | "stopped" | "unknown"

const STATES: Readonly<Record<string, KernelState>> = {
  R: "computes",
  S: "waits",
  D: "waits for the disk",
  T: "stopped",
  t: "stopped",
}

/**
 * Returns the state of a process or thread.
 * @param place its path under `/proc`.
 */
export function kernelState(place: string): KernelState {
  try {
    const stat = readFileSync(`/proc/${place}/stat`, "latin1")
    // The state follows the last parenthesis. The name in parentheses may contain any characters.
    return STATES[stat.charAt(stat.lastIndexOf(")") + 2)] ?? "unknown"
  } catch {
    return "unknown"
  }
}

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Prefix of the folders of servers, before the id of their process. */
export const PREFIX = "tollgate-postgres-"
/** There as long as the server runs. */
const PID_FILE = "postmaster.pid"
/** Milliseconds. */
const SHUTDOWN_TIME = 2_000

/** Ends the servers of processes that were killed, and removes their folders. */
export function removeAbandonedServers(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split("-")[0]) : NaN
    if (!Number.isNaN(owner) && !isAlive(owner)) removeServer(join(tmpdir(), name))
  }
}

/** Ends the server of a folder, and removes it. */
export function removeServer(folder: string): void {
  const file = join(folder, PID_FILE)
  const deadline = performance.now() + SHUTDOWN_TIME
  if (existsSync(file)) signal(serverIn(folder), "SIGQUIT")
  // The server writes into its folder until the end.
  while (existsSync(file) && isAlive(serverIn(folder)) && performance.now() < deadline) {
    Bun.sleepSync(2)
  }
  rmSync(folder, { recursive: true, force: true })
}

/** The process of the server in a folder; NaN if there is none. */
export function serverIn(folder: string): number {
  try {
    return Number(readFileSync(join(folder, PID_FILE), "utf8").split("\n")[0])
  } catch {
    return NaN
  }
}

/** Whether a process exists. */
export function isAlive(processId: number): boolean {
  return signal(processId, 0)
}

function signal(processId: number, name: NodeJS.Signals | 0): boolean {
  // 0 and below are groups of processes.
  if (!(processId > 0)) return false
  try {
    process.kill(processId, name)
    return true
  } catch {
    return false
  }
}

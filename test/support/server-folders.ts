import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Prefix of the folders of servers. The id of the process follows it. */
export const PREFIX = "tollgate-postgres-"
/** A file that exists as long as the server runs. */
const PID_FILE = "postmaster.pid"
/** Maximum time for a shutdown in milliseconds. */
const SHUTDOWN_TIME = 2_000

/** Ends the servers of processes that were killed, and removes their folders. */
export function removeAbandonedServers(): void {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split("-")[0]) : NaN
    if (!Number.isNaN(owner) && !isAlive(owner)) removeServer(join(tmpdir(), name))
  }
}

/** Ends the server of a folder, and removes the folder. */
export function removeServer(folder: string): void {
  const file = join(folder, PID_FILE)
  const deadline = performance.now() + SHUTDOWN_TIME
  if (existsSync(file)) signal(serverIn(folder), "SIGQUIT")
  // The server writes to its folder until it has ended.
  while (existsSync(file) && isAlive(serverIn(folder)) && performance.now() < deadline) {
    Bun.sleepSync(2)
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Returns the process id of the server in a folder; NaN if there is none. */
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
  // Ids of 0 and below stand for process groups.
  if (!(processId > 0)) return false
  try {
    process.kill(processId, name)
    return true
  } catch {
    return false
  }
}

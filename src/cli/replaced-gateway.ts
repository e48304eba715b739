import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import { WORKER_VARIABLE } from "./gateway-process.ts"

/** The state of a listening socket in the kernel's tables. */
const LISTENING = "0A"
/**
 * Kernel parameter that moves the connections that a closing process has not accepted to another process on the port.
 */
const MIGRATION = "net.ipv4.tcp_migrate_req"

/** A running gateway that this one replaces. */
export interface ReplacedGateway {
  /** The processes to end. They supervise the gateway's workers, or serve themselves. */
  readonly processIds: readonly number[]
}

/**
 * Finds the gateway that listens on a port and has the same data folder. Returns undefined if there is none. Always
 * returns undefined on systems other than Linux.
 */
export function findReplaced(port: number, data: string): ReplacedGateway | undefined {
  try {
    const listening = listeningSockets(port)
    if (listening.size === 0) return undefined
    const folder = `${realpathSync(data)}/`
    const found = processes().filter((id) => {
      const open = openFiles(id)
      return (
        open.some((file) => listening.has(file)) && open.some((file) => file.startsWith(folder))
      )
    })
    const processIds = [...new Set(found.map((id) => parentOfWorker(id) ?? id))]
    return processIds.length === 0 ? undefined : { processIds }
  } catch {
    return undefined
  }
}

/**
 * Describes which requests may fail during a replacement with the current settings.
 * @param drainDelay milliseconds.
 */
export function replacementWarnings(drainDelay: number): string[] {
  const warnings: string[] = []
  if (drainDelay === 0) {
    warnings.push(
      "Requests on reused connections may fail during a replacement: set server.drain_delay to 5s.",
    )
  }
  if (!migratesConnections()) {
    warnings.push(
      `A few new connections may be reset during a replacement: set the kernel parameter ${MIGRATION} to 1.`,
    )
  }
  return warnings
}

function migratesConnections(): boolean {
  try {
    const value = readFileSync(`/proc/sys/${MIGRATION.replaceAll(".", "/")}`, "latin1")
    return value.trim() === "1"
  } catch {
    return false
  }
}

/** Asks the processes of the replaced gateway to end. Before this call, the new gateway must listen on the port. */
export function endReplaced({ processIds }: ReplacedGateway): void {
  for (const id of processIds) {
    try {
      process.kill(id, "SIGTERM")
    } catch {
      // The process has already ended.
    }
  }
}

/** Returns the sockets that listen on a port, as `/proc/<process>/fd` names them. */
function listeningSockets(port: number): ReadonlySet<string> {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  const lines = ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/self/net/${table}`, "latin1").split("\n"),
  )
  const rows = lines.map((line) => line.trim().split(/\s+/))
  return new Set(
    rows
      .filter(([, local, , state]) => state === LISTENING && local?.endsWith(ending) === true)
      .map(([, , , , , , , , , inode]) => `socket:[${inode}]`),
  )
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** Returns the paths and sockets that a process has opened; empty if they cannot be read. */
function openFiles(processId: number): string[] {
  const folder = `/proc/${processId}/fd`
  try {
    return readdirSync(folder).map((name) => linkTarget(`${folder}/${name}`))
  } catch {
    return []
  }
}

/** Returns the target of a link; empty if the file was closed after it was listed. */
function linkTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

/** Returns the parent of a worker. The parent restarts its workers, so the parent has to be ended. */
function parentOfWorker(id: number): number | undefined {
  const variables = readFileSync(`/proc/${id}/environ`, "latin1").split("\0")
  if (!variables.some((variable) => variable.startsWith(`${WORKER_VARIABLE}=`))) return undefined
  const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, "latin1"))?.[1]
  return parent === undefined ? undefined : Number(parent)
}

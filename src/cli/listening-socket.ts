import { dlopen } from "bun:ffi"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Linux's numbers of system calls that its C library does not wrap; the same on all machines that Bun runs on. */
const PIDFD_OPEN = 434
const PIDFD_GETFD = 438
const SHUT_RD = 0
/** State `LISTEN` in the kernel's tables. */
const LISTENING = "0A"
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]

/**
 * Makes another process of ours stop listening on a port: one that hangs, to which the kernel would continue to
 * assign its share of new connections. Its open connections remain.
 * @returns whether that was possible: only on Linux, and not where a sandbox forbids it.
 */
export function stopListening(processId: number, port: number): boolean {
  try {
    const socket = listeningSocketOf(processId, port)
    return socket !== undefined && shutDown(processId, socket)
  } catch {
    return false
  }
}

/** The number that the process itself has for it. */
function listeningSocketOf(processId: number, port: number): number | undefined {
  const listening = new Set(
    ["tcp", "tcp6"].flatMap((table) => listeningInodes(processId, table, port)),
  )
  const folder = `/proc/${processId}/fd`
  const found = readdirSync(folder).find((name) => {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${name}`))?.[1]
    return inode !== undefined && listening.has(inode)
  })
  return found === undefined ? undefined : Number(found)
}

function listeningInodes(processId: number, table: string, port: number): string[] {
  const lines = readFileSync(`/proc/${processId}/net/${table}`, "latin1").split("\n").slice(1)
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => state === LISTENING && local?.endsWith(wanted) === true)
    .flatMap((fields) => fields[9] ?? [])
}

/** It may have been closed since it was listed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

function shutDown(processId: number, socket: number): boolean {
  const { syscall, shutdown, close } = openLibrary().symbols
  const handle = syscall(PIDFD_OPEN, processId, 0)
  if (handle < 0) return false
  const copy = syscall(PIDFD_GETFD, handle, socket)
  close(handle)
  if (copy < 0) return false
  const isDone = shutdown(copy, SHUT_RD) === 0
  close(copy)
  return isDone
}

function openLibrary() {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, {
        syscall: { args: ["i64", "i64", "i64"], returns: "int" },
        shutdown: { args: ["int", "int"], returns: "int" },
        close: { args: ["int"], returns: "int" },
      })
    } catch {
      // Another library's.
    }
  }
  throw new Error("the C library was not found")
}

import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { openFilesOf, socketsAt, socketsOf } from "../machine/kernel-sockets.ts"
import { ListeningSocket } from "../machine/listening-socket.ts"
import { WORKER_VARIABLE } from "./gateway-process.ts"

/** How often it checks whether the replaced gateway still listens, milliseconds. */
const LOOK_EVERY = 100

/** A gateway that runs, and that this one replaces. */
export interface ReplacedGateway {
  /** The processes that watch its workers, or serve themselves. */
  readonly processIds: readonly number[]
}

/**
 * Finds the gateway that listens on a port and has the same data folder; undefined where none does, and except on
 * Linux.
 */
export function findReplaced(port: number, data: string): ReplacedGateway | undefined {
  try {
    const listening = socketsAt(port).filter(({ state }) => state === "listening")
    if (listening.length === 0) return undefined
    const folder = `${realpathSync(data)}/`
    const found = processes().filter((id) => {
      const open = socketsOf(id)
      const listens = listening.some(({ inode }) => open.has(inode))
      return listens && openFilesOf(id).some(([, path]) => path.startsWith(folder))
    })
    const processIds = [...new Set(found.map((id) => parentOfWorker(id) ?? id))]
    return processIds.length === 0 ? undefined : { processIds }
  } catch {
    return undefined
  }
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** What a worker's parent starts again, so the parent is the one to end. */
function parentOfWorker(id: number): number | undefined {
  const variables = readFileSync(`/proc/${id}/environ`, "latin1").split("\0")
  if (!variables.some((variable) => variable.startsWith(`${WORKER_VARIABLE}=`))) return undefined
  const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, "latin1"))?.[1]
  return parent === undefined ? undefined : Number(parent)
}

/**
 * Takes the port from a gateway: from now on its successors get all new connections, and it is asked to end.
 * @param successors processes that listen on the port as well.
 * @returns what is to be disposed of on shutdown.
 */
export function replaceGateway(
  { processIds }: ReplacedGateway,
  port: number,
  successors: readonly number[],
): Disposable {
  const [first = process.pid] = successors
  const socket = ListeningSocket.of(first, port)
  const replaced = (): number => (socket?.sharers.length ?? 0) - successors.length
  // They began to listen later than those that they replace. Without this, connections that come in the moment in
  // which the other gateway leaves the port wait for a second.
  socket?.giveTo(replaced(), successors.length)
  for (const id of processIds) end(id)
  const timer = setInterval(() => {
    if (replaced() > 0) return
    clearInterval(timer)
    socket?.giveToAll()
  }, LOOK_EVERY)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** It may have ended by itself. */
function end(processId: number): void {
  try {
    process.kill(processId, "SIGTERM")
  } catch {
    // Then nothing is left to do.
  }
}

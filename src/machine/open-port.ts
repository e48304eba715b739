import { socketsAt, socketsOf } from "./kernel-sockets.ts"
import { ListeningSocket } from "./listening-socket.ts"

/** How often it checks whether a connection still waits, milliseconds. */
const LOOK = 2
/** How long connections that are being opened are waited for, milliseconds: a caller's packets may be lost once. */
const PATIENCE = 2_000
/** A connection that is opened may be missed by one look, between two states, but not by two. */
const LOOKS = 2

/** The port that this process listens on. */
export class OpenPort {
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  /**
   * Stops listening without losing a connection: those that have been opened are accepted, and stay open. Callers
   * that come meanwhile are not answered, and come again after a second.
   * @returns whether that was possible: only on Linux. Otherwise nothing has changed.
   */
  async leave(): Promise<boolean> {
    const socket = ListeningSocket.of(process.pid, this.#port)
    if (socket?.refuseNew() !== true) return false
    await allAccepted(socket)
    return socket.replaceByDead()
  }

  /** Whether any process listens there. */
  get isListenedTo(): boolean {
    return socketsAt(this.#port).some(({ state }) => state === "listening")
  }

  /** How many connections of callers are open in this process, idle ones included. */
  get connections(): number {
    const open = socketsOf(process.pid)
    return socketsAt(this.#port).filter(({ inode }) => open.has(inode)).length
  }
}

async function allAccepted(socket: ListeningSocket): Promise<void> {
  const deadline = performance.now() + PATIENCE
  // What is being opened now: callers that come to another process do not matter.
  const expected = new Set(socket.look().opening)
  let quiet = 0
  while (quiet < LOOKS && performance.now() < deadline) {
    // The event loop accepts them meanwhile.
    await Bun.sleep(LOOK)
    const { waiting, opening } = socket.look()
    const isQuiet = waiting === 0 && !opening.some((caller) => expected.has(caller))
    quiet = isQuiet ? quiet + 1 : 0
  }
}

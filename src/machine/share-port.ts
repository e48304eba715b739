import { ptr } from "bun:ffi"
import { cLibrary } from "./c-library.ts"
import { socketsOf } from "./kernel-sockets.ts"

/** Linux's numbers of the options of sockets. */
const SOL_SOCKET = 1
const SO_REUSEPORT = 15
const SO_ACCEPTCONN = 30
/** The longest address of a socket (`sockaddr_in6`), and where it has its port, in the order of the network. */
const ADDRESS_LENGTH = 28
const PORT_AT = 2

function openLibrary() {
  return cLibrary({
    getsockname: { args: ["int", "ptr", "ptr"], returns: "int" },
    getsockopt: { args: ["int", "int", "int", "ptr", "ptr"], returns: "int" },
    setsockopt: { args: ["int", "int", "int", "ptr", "u32"], returns: "int" },
  })
}

/**
 * Lets other processes of the same user listen at a port on which this one listens.
 * @returns whether that is possible here: only on Linux, and not where a sandbox forbids it.
 */
export function sharePort(port: number): boolean {
  try {
    const library = openLibrary()
    const number = listeningAt(port, library)
    if (number === undefined) return false
    const yes = new Int32Array([1])
    return library.setsockopt(number, SOL_SOCKET, SO_REUSEPORT, ptr(yes), yes.byteLength) === 0
  } catch {
    // Not Linux, or a sandbox.
    return false
  }
}

/** Asks for each socket of this process: the kernel's table of all of the machine takes 1 ms to 2 ms for a thousand. */
function listeningAt(
  port: number,
  { getsockname, getsockopt }: ReturnType<typeof openLibrary>,
): number | undefined {
  const listens = new Int32Array(1)
  const address = new Uint8Array(ADDRESS_LENGTH)
  const length = new Uint32Array(1)
  return [...socketsOf(process.pid).values()].find((number) => {
    listens[0] = 0
    length[0] = listens.byteLength
    getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, ptr(listens), ptr(length))
    if (listens[0] === 0) return false
    length[0] = ADDRESS_LENGTH
    if (getsockname(number, ptr(address), ptr(length)) !== 0) return false
    return new DataView(address.buffer).getUint16(PORT_AT) === port
  })
}

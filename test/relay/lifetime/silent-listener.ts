import { dlopen } from "bun:ffi"
import { until } from "../../support/until.ts"

const STREAM_SOCKET = 1
const INTERNET = 2
const SET_FLAGS = 4
const NON_BLOCKING = process.platform === "darwin" ? 4 : 2_048

function openLibrary() {
  return dlopen(process.platform === "darwin" ? "libSystem.dylib" : "libc.so.6", {
    socket: { args: ["int", "int", "int"], returns: "int" },
    bind: { args: ["int", "ptr", "int"], returns: "int" },
    listen: { args: ["int", "int"], returns: "int" },
    fcntl: { args: ["int", "int", "int"], returns: "int" },
    getsockname: { args: ["int", "ptr", "ptr"], returns: "int" },
    accept: { args: ["int", "ptr", "ptr"], returns: "int" },
    write: { args: ["int", "ptr", "u64"], returns: "int" },
    close: { args: ["int"], returns: "int" },
  }).symbols
}

/** An address that listens with a queue for one connection that is not accepted yet. */
export interface SilentListener extends Disposable {
  readonly url: string
  /** Opens a connection, which fills the queue. The next connection is not answered. */
  fill(): Promise<void>
  /** Accepts the waiting connection of any client. */
  take(): Promise<TakenConnection>
}

export interface TakenConnection {
  write(text: string): void
  close(): void
}

/** Starts a listener. It uses the C library, because Bun's own servers accept every connection immediately. */
export function startSilentListener(): SilentListener {
  const library = openLibrary()
  const descriptor = library.socket(INTERNET, STREAM_SOCKET, 0)
  // The address family, port 0 for a free port, and 127.0.0.1.
  const address = new Uint8Array(16)
  address.set([INTERNET, 0, 0, 0, 127, 0, 0, 1])
  const size = new Int32Array([address.length])
  if (library.bind(descriptor, address, address.length) !== 0) throw new Error("bind failed")
  if (library.listen(descriptor, 0) !== 0) throw new Error("listen failed")
  library.fcntl(descriptor, SET_FLAGS, NON_BLOCKING)
  library.getsockname(descriptor, address, size)
  const port = ((address[2] ?? 0) << 8) | (address[3] ?? 0)
  let filler: { terminate(): void } | undefined
  return {
    url: `http://127.0.0.1:${port}`,
    async fill() {
      filler = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } })
    },
    async take() {
      let connection = -1
      await until(() => {
        connection = library.accept(descriptor, null, null)
        return connection >= 0
      })
      return {
        write(text) {
          const bytes = new TextEncoder().encode(text)
          library.write(connection, bytes, bytes.length)
        },
        close: () => void library.close(connection),
      }
    },
    [Symbol.dispose]() {
      filler?.terminate()
      library.close(descriptor)
    },
  }
}

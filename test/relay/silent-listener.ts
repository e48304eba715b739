import { dlopen } from "bun:ffi"

/** Whether this machine's C library is the one that `startSilentListener` calls. */
const LIBRARY = process.platform === "darwin" ? "libSystem.dylib" : "libc.so.6"

const STREAM_SOCKET = 1
const INTERNET = 2

/** An address that listens, but where a new connection is never taken: its queue is full. */
export async function startSilentListener(): Promise<Disposable & { readonly url: string }> {
  const { symbols } = dlopen(LIBRARY, {
    socket: { args: ["int", "int", "int"], returns: "int" },
    bind: { args: ["int", "ptr", "int"], returns: "int" },
    listen: { args: ["int", "int"], returns: "int" },
    getsockname: { args: ["int", "ptr", "ptr"], returns: "int" },
    close: { args: ["int"], returns: "int" },
  })
  const descriptor = symbols.socket(INTERNET, STREAM_SOCKET, 0)
  // The family, a port that is chosen for us, 127.0.0.1.
  const address = new Uint8Array(16)
  address.set([INTERNET, 0, 0, 0, 127, 0, 0, 1])
  const size = new Int32Array([address.length])
  if (symbols.bind(descriptor, address, address.length) !== 0) throw new Error("bind failed")
  if (symbols.listen(descriptor, 0) !== 0) throw new Error("listen failed")
  symbols.getsockname(descriptor, address, size)
  const port = ((address[2] ?? 0) << 8) | (address[3] ?? 0)
  const fillers = await fillQueue(port)
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]() {
      for (const filler of fillers) filler.terminate()
      symbols.close(descriptor)
    },
  }
}

/** Connects until one connection is left waiting. */
async function fillQueue(port: number): Promise<{ terminate(): void }[]> {
  const fillers: { terminate(): void }[] = []
  for (;;) {
    const connecting = Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } })
    const connected = await Promise.race([connecting, Bun.sleep(200)])
    if (!connected) {
      connecting.then((socket) => socket.terminate()).catch(() => {})
      return fillers
    }
    fillers.push(connected)
  }
}

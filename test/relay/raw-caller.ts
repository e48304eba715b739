import { connect, type Socket } from "node:net"
import { CHAT } from "./support.ts"

/** A caller with a plain socket. The test determines when it reads. */
export interface RawCaller extends Disposable {
  readonly socket: Socket
  /** Returns everything that was read so far, including the head and the chunk sizes. */
  text(): string
}

/** Opens a connection without sending anything. */
export function connectTo(url: string): RawCaller {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ""
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1")
  })
  socket.on("error", () => {})
  return { socket, text: () => text, [Symbol.dispose]: () => void socket.destroy() }
}

/** Sends a chat request on a new connection. */
export function sendRaw(url: string, key: string, body: object, path = CHAT): RawCaller {
  const caller = connectTo(url)
  const payload = JSON.stringify(body)
  caller.socket.write(
    [
      `POST ${path} HTTP/1.1`,
      "host: gateway",
      `authorization: Bearer ${key}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(payload)}`,
      "",
      payload,
    ].join("\r\n"),
  )
  return caller
}

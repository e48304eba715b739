/**
 * A separate process that sends many bodies to a gateway until it is killed. It sends most of each body immediately,
 * and then single bytes from time to time.
 */
import { connect } from "node:net"

const [url = "", key = "", count = "0"] = process.argv.slice(2)
const MEGABYTE = 1024 * 1024
const { hostname, port } = new URL(url)
const chunk = Buffer.alloc(MEGABYTE, "a")

function send(): void {
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.on("data", () => {})
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
  socket.write(`${head}content-length: ${32 * MEGABYTE}\r\n\r\n{"model":"good/m","messages":"`)
  let sent = 0
  const more = (): void => {
    if (++sent < 31) socket.write(chunk, more)
  }
  more()
  const drip = setInterval(() => socket.write("a"), 200)
  socket.on("close", () => clearInterval(drip))
}

for (let number = 0; number < Number(count); number++) send()

import { expect, test } from "bun:test"
import { OpenPort } from "../../src/machine/open-port.ts"
import { connectTo, type RawCaller } from "../relay/raw-caller.ts"
import { until } from "../support/until.ts"

function startServer(port = 0) {
  return Bun.serve({ port, hostname: "127.0.0.1", fetch: () => new Response("served") })
}

function ask({ socket }: RawCaller): void {
  socket.write("GET / HTTP/1.1\r\nhost: gateway\r\n\r\n")
}

async function isOpen(caller: RawCaller): Promise<void> {
  await until(() => !caller.socket.connecting)
}

test("whoever is connected when the port is left is still answered, and nobody else", async () => {
  const server = startServer()
  const url = server.url.href
  const port = new OpenPort(server.port ?? 0)
  using used = connectTo(url)
  ask(used)
  await until(() => used.text().includes("served"))
  // The kernel hands over a connection with its first bytes: that of a caller that is silent can only wait.
  using silent = connectTo(url)
  await isOpen(silent)
  const left = port.leave()
  ask(silent)
  expect(await left).toBeTrue()
  await until(() => silent.text().includes("served"))
  ask(used)
  await until(() => used.text().split("served").length === 3)
  expect(port.isListenedTo).toBeFalse()
  expect(port.connections).toBe(2)
  const refused = await fetch(url, { keepalive: false }).catch(() => "refused")
  expect(refused).toBe("refused")
  await server.stop(true)
  expect(port.connections).toBe(0)
})

test("the port that was left is free, and stays free of its last owner", async () => {
  const server = startServer()
  const number = server.port ?? 0
  const port = new OpenPort(number)
  expect(await port.leave()).toBeTrue()
  await using next = startServer(number)
  expect(port.isListenedTo).toBeTrue()
  await server.stop(true)
  const answer = await fetch(next.url, { keepalive: false })
  expect(await answer.text()).toBe("served")
})

import { expect, test } from "bun:test"
import { connect } from "node:net"
import { startGateway } from "../support/gateway.ts"
import { until } from "../support/until.ts"

test("a client that disconnects during its upload causes no internal error", async () => {
  await using gateway = await startGateway()
  const caller = await gateway.caller("1")
  const { port } = new URL(gateway.url)
  const socket = connect(Number(port), "127.0.0.1")
  const head = [
    "POST /v1/chat/completions HTTP/1.1",
    "host: gateway",
    `authorization: Bearer ${caller.key}`,
    "content-type: application/json",
    "content-length: 1000",
    "",
    '{"model":',
  ].join("\r\n")
  await new Promise((resolve) => {
    socket.write(head, resolve)
  })
  // The server has begun to read once it has answered a request that came after this one.
  await (await caller.get("/v1/models")).text()
  socket.destroy()
  // And it has noticed the end once it has answered another.
  let answered = 0
  await until(async () => {
    await (await caller.get("/v1/models")).text()
    return ++answered > 20
  })
  expect(gateway.heard).toEqual([])
})

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
  // Once the server has answered a later request, it has begun to read the upload.
  await (await caller.get("/v1/models")).text()
  socket.destroy()
  // Once the server has answered another request, it has noticed the disconnect.
  let answered = 0
  await until(async () => {
    await (await caller.get("/v1/models")).text()
    return ++answered > 20
  })
  expect(gateway.heard).toEqual([])
})

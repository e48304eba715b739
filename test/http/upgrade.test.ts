import { afterAll, beforeAll, expect, test } from "bun:test"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway()
  caller = await gateway.caller()
})

afterAll(() => gateway[Symbol.asyncDispose]())

/** Returns the head of the response to a handshake, as a web socket client reads it. */
async function shakeHands(path: string): Promise<string> {
  const heard = Promise.withResolvers<string>()
  let text = ""
  using socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(gateway.url).port),
    socket: {
      data(_, chunk) {
        text += chunk.toString()
        if (text.includes("}}")) heard.resolve(text)
      },
      close: () => heard.resolve(text),
    },
  })
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${caller.key}\r\n` +
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  )
  return await heard.promise
}

test("a WebSocket upgrade is rejected with the response that makes Codex use HTTP instead", async () => {
  const response = await shakeHands("/v1/responses")
  expect(response).toStartWith("HTTP/1.1 426 ")
  expect(response).toContain('"code":"upgrade_not_supported"')
  expect(response.toLowerCase()).toContain("x-should-retry: false")
})

test("the path for WebSockets accepts only POST requests", async () => {
  const response = await caller.get("/v1/responses")
  expect(response.status).toBe(405)
  expect(response.headers.get("allow")).toBe("POST")
})

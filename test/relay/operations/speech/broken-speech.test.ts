import { afterAll, beforeAll, expect, test } from "bun:test"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { sendRaw } from "../../raw-caller.ts"
import { errorOf, nothingHeld } from "../../support.ts"

/** Returns a chunk that is too long to be merged with the next chunk. */
const chunk = (digit: string): string => `1000\r\n${digit.repeat(4_096)}\r\n`
/** Three chunks, followed by a line that is not a valid chunk size. */
const CHUNKED = [
  "HTTP/1.1 200 OK\r\ncontent-type: audio/pcm\r\ntransfer-encoding: chunked\r\n",
  `${chunk("1")}${chunk("2")}${chunk("3")}no chunk\r\n`,
].join("\r\n")
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: audio/pcm\r\ncontent-length: 96000\r\n\r\n"
const SOUND = "s".repeat(4_800)

/** A vendor that sends the beginning of audio and closes the connection. */
const vendor = createServer((socket) => {
  socket.on("error", () => {})
  socket.once("data", (request) => {
    const response = request.includes("chunks") ? CHUNKED : HEAD + SOUND
    socket.write(response, () => socket.destroySoon())
  })
})

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve))
  const { port } = vendor.address() as AddressInfo
  gateway = await startGateway({
    providers: { own: provider(`http://127.0.0.1:${port}/v1`) },
    models: { "own/tts": { kind: "speech", price: { character: "10" } } },
  })
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor.close()
})

test("speech that breaks off before its first byte is a failure, free of charge", async () => {
  const order = { model: "own/tts", voice: "alloy", input: "Hello", response_format: "pcm" }
  const before = await caller.balance()
  const response = await caller.post("/v1/audio/speech", order)
  expect((await errorOf(response)).status).toBe(502)
  await nothingHeld(caller)
  expect(await caller.balance()).toBe(before)
})

test("speech that breaks off is charged up to the delivered part", async () => {
  const body = { model: "own/tts", voice: "alloy", input: "in chunks", response_format: "pcm" }
  using raw = sendRaw(gateway.url, caller.key, body, "/v1/audio/speech")
  await new Promise((resolve) => raw.socket.once("close", resolve))
  expect(raw.text()).toStartWith("HTTP/1.1 200 OK")
  expect(raw.text()).toContain("1111")
  expect(raw.text()).toContain("2222")
  await nothingHeld(caller)
})

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  SHORT_TIMEOUTS,
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { helloUntil, type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import {
  CHAT,
  contentOf,
  HELLO,
  nothingHeld,
  readUntil,
  receiptOf,
  streamErrorOf,
} from "../support.ts"

const COMMENT = ": keep-alive\n\n"

let gateway: TestGateway
let caller: TestCaller
let failing: ScriptedVendor
let fail: PromiseWithResolvers<void>
let silent: ScriptedVendor
/** Ends the silence of the vendor before its headers, and within its stream. */
let silence: {
  readonly headers: PromiseWithResolvers<void>
  readonly end: PromiseWithResolvers<void>
}

beforeAll(async () => {
  failing = startVendor(async () => {
    await fail.promise
    return Response.json({ error: { message: "broken" } }, { status: 500 })
  })
  silent = startVendor(async () => {
    await silence.headers.promise
    return helloUntil(silence.end.promise)
  })
  gateway = await startGateway({
    keepAlive: 150,
    settings: { timeouts: SHORT_TIMEOUTS },
    providers: { failing: provider(failing.url), silent: provider(silent.url) },
    models: {
      "sim/fault-slow-headers": simulated(),
      "silent/m": simulated(),
      "failing/late": simulated(),
      "failing/backed-up": simulated({
        deployments: [
          { provider: "failing", model: "late", weight: 1 },
          { provider: "sim", model: "echo", weight: 0 },
        ],
      }),
    },
  })
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  failing[Symbol.dispose]()
  silent[Symbol.dispose]()
})

const stream = (model: string) => caller.post(CHAT, { model, messages: HELLO, stream: true })

describe("keep-alive comments while the upstream is silent", () => {
  test("begin before the upstream's first byte, and continue between later bytes", async () => {
    silence = { headers: Promise.withResolvers(), end: Promise.withResolvers() }
    const reader = (await stream("silent/m")).body?.getReader()
    if (!reader) throw new Error("no body")
    expect(await readUntil(reader, (text) => text.endsWith(COMMENT + COMMENT))).not.toContain(
      "data",
    )
    silence.headers.resolve()
    const isSilentAgain = (text: string) =>
      /data: .*\n\n: keep-alive\n\n: keep-alive\n\n$/.test(text)
    expect(contentOf(await readUntil(reader, isSilentAgain))).toBe("Hello")
    silence.end.resolve()
    expect(await readUntil(reader, (text) => text.endsWith("data: [DONE]\n\n"))).toContain("stop")
  })

  test("follow the status and the headers, before any content", async () => {
    const response = await stream("sim/fault-slow-headers")
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    expect(response.headers.get("x-request-id")).toStartWith("req_")
    const reader = response.body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes(COMMENT + COMMENT))
    expect(gateway.simulator.open).toBe(1)
    await reader.cancel()
    await gateway.simulator.requests.at(-1)?.settled()
    await nothingHeld(caller)
  })
})

describe("a failure after the first keep-alive comment", () => {
  test("becomes an error event in the stream, free of charge", async () => {
    fail = Promise.withResolvers()
    const before = await caller.balance()
    const response = await stream("failing/late")
    expect(response.status).toBe(200)
    fail.resolve()
    const text = await response.text()
    expect(text).toStartWith(COMMENT)
    expect(streamErrorOf(text)).toMatchObject({ code: "upstream_error", type: "server_error" })
    const receipt = await receiptOf(caller, response)
    expect(receipt.status).toBe("released")
    expect(receipt.attempts).toMatchObject([{ status: 500, outcome: "upstream_error" }])
    await nothingHeld(caller)
    expect(await caller.balance()).toBe(before)
  })

  test("stays hidden from the caller if the next deployment answers", async () => {
    fail = Promise.withResolvers()
    const response = await stream("failing/backed-up")
    fail.resolve()
    const text = await response.text()
    expect(text).toStartWith(COMMENT)
    expect(contentOf(text)).toBe("Hello there, gateway")
    expect(text).toEndWith("data: [DONE]\n\n")
    expect((await receiptOf(caller, response)).attempts).toHaveLength(2)
  })
})

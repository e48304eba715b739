import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { pngOf } from "../image.ts"
import { frame, type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, HELLO, nanocredits, onlyReceipt, readUntil } from "../support.ts"
import { until } from "../../support/until.ts"

const CREDITS = 1_000_000_000n
const WORDS = [{ role: "user", content: "one two three four five six seven eight" }]

let gateway: TestGateway
let caller: TestCaller
let gate: ScriptedVendor
/** Resolving it lets the scripted vendor begin its response. */
let open: PromiseWithResolvers<void>
let wasLeft: PromiseWithResolvers<void>

beforeAll(async () => {
  gate = startVendor(async () => {
    await open.promise
    return streamed([frame("Hello"), 60_000], "text/event-stream", () => wasLeft.resolve())
  })
  gateway = await startGateway({
    providers: { gate: provider(gate.url) },
    models: {
      "sim/fault-slow-headers": simulated(),
      "sim/fault-stall": simulated(),
      "gate/late": simulated(),
    },
    settings: { disconnect: "cancel" },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  gate[Symbol.dispose]()
})

/** Starts a request, and waits until the simulator has received it. */
async function begin(body: object): Promise<{ leave(): void; response: Promise<Response> }> {
  caller = await gateway.caller("1")
  const controller = new AbortController()
  const before = gateway.simulator.requests.length
  const response = fetch(gateway.url + CHAT, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: controller.signal,
  })
  response.catch(() => {})
  await until(() => gateway.simulator.requests.length > before)
  return { leave: () => controller.abort(), response }
}

async function expectAborted(): Promise<void> {
  await gateway.simulator.requests.at(-1)?.settled()
  expect(gateway.simulator.requests.at(-1)?.aborted).toBe(true)
}

for (const stream of [false, true]) {
  test(`a caller that disconnects before the first byte pays for the input, ${stream ? "streamed" : "whole"}`, async () => {
    const { leave } = await begin({ model: "sim/fault-slow-headers", messages: HELLO, stream })
    leave()
    await expectAborted()
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.attempts).toMatchObject([{ outcome: "caller_disconnected" }])
    expect(receipt.usage?.input).toBeGreaterThan(0)
    expect(CREDITS - (await caller.balance())).toBe(nanocredits(receipt.cost))
  })
}

test("a caller that disconnects during a whole response pays for the input", async () => {
  const { leave } = await begin({ model: "sim/fault-stall", messages: WORDS })
  leave()
  await expectAborted()
  const receipt = await onlyReceipt(gateway, caller)
  expect(receipt).toMatchObject({ status: "settled", estimated: true })
  expect(receipt.usage?.input).toBeGreaterThan(0)
  expect(CREDITS - (await caller.balance())).toBe(nanocredits(receipt.cost))
})

async function leaveMidway(messages: unknown): Promise<bigint> {
  const running = await begin({ model: "sim/fault-stall", messages, stream: true })
  const reader = (await running.response).body?.getReader()
  if (!reader) throw new Error("no body")
  await readUntil(reader, (text) => text.includes("five") || text.includes("imag"))
  running.leave()
  await expectAborted()
  const receipt = await onlyReceipt(gateway, caller)
  expect(receipt).toMatchObject({ status: "settled", estimated: true })
  expect(receipt.attempts).toMatchObject([{ status: 200, outcome: "caller_disconnected" }])
  const paid = CREDITS - (await caller.balance())
  expect(paid).toBe(nanocredits(receipt.cost))
  expect(paid).toBeGreaterThan(0n)
  expect(paid).toBeLessThanOrEqual(nanocredits(receipt.hold))
  return paid
}

test("a caller that disconnects during a stream pays the estimated cost of the delivered part", async () => {
  await leaveMidway(WORDS)
  // There is no event, because a disconnected caller does not mean that a vendor fails to report usage.
  expect(gateway.heard.filter(({ name }) => name === "usageMissing")).toEqual([])
})

test("the estimate of a partly delivered stream includes the image of the request", async () => {
  const url = `data:image/png;base64,${pngOf(1024, 1024).toBase64()}`
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url } },
  ]
  // At least a thousand tokens are charged for every vendor.
  expect(await leaveMidway([{ role: "user", content }])).toBeGreaterThan(1_000_000n)
})

describe("a caller that disconnects when the first frame arrives", () => {
  test("leaves no open request", async () => {
    open = Promise.withResolvers()
    wasLeft = Promise.withResolvers()
    caller = await gateway.caller("1")
    const controller = new AbortController()
    const asked = gate.bodies.length
    const response = fetch(gateway.url + CHAT, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gate/late", messages: HELLO, stream: true }),
      signal: controller.signal,
    })
    response.catch(() => {})
    await until(() => gate.bodies.length > asked)
    open.resolve()
    controller.abort()
    await wasLeft.promise
    await onlyReceipt(gateway, caller)
  })
})

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { TimeoutSettings } from "../../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
  UNREACHED_TIMEOUTS,
} from "../../support/gateway.ts"
import { MovableClock } from "../movable-clock.ts"
import {
  DONE,
  frame,
  repeated,
  type ScriptedVendor,
  startVendor,
  streamed,
  usageFrame,
  WHOLE_STREAM,
  wholeResponse,
} from "../scripted-vendor.ts"
import { type SilentListener, startSilentListener } from "./silent-listener.ts"
import {
  CHAT,
  contentOf,
  errorOf,
  nanocredits,
  nothingHeld,
  receiptOf,
  streamErrorOf,
} from "../support.ts"

const WORDS = [{ role: "user", content: "one two three four five six seven eight" }]

/** More frames than fit into the buffers between a vendor and a caller that does not read. */
const MUCH = Array.from({ length: 1_000 }, () => frame("x".repeat(20_000)))

/** The responses of the scripted vendor, by model. */
const SCRIPTS: Readonly<Record<string, () => Response>> = {
  "drips-for-ever": () => streamed(repeated(frame("drip "), 1_000, 40)),
  comments: () => streamed([...repeated(": thinking\n\n", 14, 50), WHOLE_STREAM]),
  "spaces-then-json": () =>
    streamed([...repeated("\n", 14, 50), JSON.stringify(wholeResponse())], "application/json"),
  much: () => streamed([...MUCH, frame("", "stop"), usageFrame(5, 7), DONE]),
  "slow-frames": () =>
    streamed([...repeated(frame("x"), 7, 100), frame("", "stop"), usageFrame(5, 7), DONE]),
}

let clock: MovableClock
let gateway: TestGateway
let caller: TestCaller
let vendor: ScriptedVendor
let silent: SilentListener
let narrow: SilentListener

beforeAll(async () => {
  vendor = startVendor(() => {
    const script = SCRIPTS[String(vendor.bodies.at(-1)?.["model"])]
    return script?.() ?? new Response("unknown script", { status: 500 })
  })
  silent = startSilentListener()
  await silent.fill()
  narrow = startSilentListener()
  clock = new MovableClock()
  gateway = await startGateway({
    monitor: clock.monitor,
    providers: {
      scripted: provider(vendor.url),
      silent: provider(`${silent.url}/v1`),
      narrow: provider(`${narrow.url}/v1`),
    },
    models: {
      "sim/fault-slow-headers": simulated(),
      "sim/fault-slow-headers-600": simulated(),
      "sim/fault-stall": simulated(),
      "silent/echo": simulated(),
      "narrow/echo": simulated(),
      "silent/backed-up": simulated({
        deployments: [
          { provider: "silent", model: "x", weight: 1 },
          { provider: "sim", model: "echo", weight: 0 },
        ],
      }),
      ...Object.fromEntries(Object.keys(SCRIPTS).map((name) => [`scripted/${name}`, simulated()])),
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  clock[Symbol.dispose]()
  vendor[Symbol.dispose]()
  silent[Symbol.dispose]()
  narrow[Symbol.dispose]()
})

async function ask(
  model: string,
  timeouts: Partial<TimeoutSettings>,
  body: Record<string, unknown> = {},
): Promise<Response> {
  const { settings } = gateway
  await gateway.app.apply({ ...settings, timeouts: { ...UNREACHED_TIMEOUTS, ...timeouts } })
  return caller.post(CHAT, { model, messages: WORDS, ...body })
}

/** Asserts a timeout before the response has begun: the status is 504, and nothing is charged or held. */
async function expectTimeout(response: Response, words: string): Promise<void> {
  const before = await caller.balance()
  const receipt = await receiptOf(caller, response)
  expect(response.headers.get("x-should-retry")).toBe("true")
  expect(await errorOf(response)).toMatchObject({
    status: 504,
    code: "upstream_timeout",
    message: expect.stringContaining(words),
  })
  expect(receipt).toMatchObject({ status: "released", charged: "0" })
  expect(receipt.attempts.at(-1)?.outcome).toBe("upstream_timeout")
  await nothingHeld(caller)
  expect(await caller.balance()).toBe(before)
}

for (const stream of [false, true]) {
  describe(`a call whose response has not begun, ${stream ? "streamed" : "whole"},`, () => {
    test("times out if no first byte arrives", async () => {
      const response = await ask("sim/fault-slow-headers", { firstByte: 200 }, { stream })
      await expectTimeout(response, "the first byte")
      await gateway.simulator.requests.at(-1)?.settled()
      expect(gateway.simulator.requests.at(-1)?.aborted).toBe(true)
    })

    test("times out at the total deadline if that is the shortest deadline", async () => {
      const response = await ask("sim/fault-slow-headers", { total: 200 }, { stream })
      await expectTimeout(response, "the whole response")
    })

    test("times out if the address accepts no connection", async () => {
      const response = await ask("silent/echo", { connect: 200 }, { stream })
      await expectTimeout(response, "cannot be reached")
    })

    test("causes an attempt at the next deployment after a connection timeout", async () => {
      const response = await ask("silent/backed-up", { connect: 200 }, { stream })
      expect(response.status).toBe(200)
      await response.text()
    })

    test("can take longer than the connection timeout if the vendor is reachable", async () => {
      const response = await ask("sim/fault-slow-headers-600", { connect: 150 }, { stream })
      expect(response.status).toBe(200)
      await response.text()
    })
  })
}

describe("a call whose response has begun", () => {
  test("ends with an error in the stream if it stalls, and the delivered part is charged", async () => {
    const before = await caller.balance()
    const response = await ask("sim/fault-stall", { idle: 250 }, { stream: true })
    expect(response.status).toBe(200)
    const text = await response.text()
    expect(contentOf(text)).toBe("one two three four five")
    expect(streamErrorOf(text)).toMatchObject({
      code: "upstream_timeout",
      message: expect.stringContaining("the next bytes"),
    })
    const receipt = await receiptOf(caller, response)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.attempts).toMatchObject([{ status: 200, outcome: "upstream_timeout" }])
    const failure = expect.objectContaining({
      outcome: "upstream_timeout",
      phase: "idle",
      code: "ETIMEDOUT",
    })
    const facts = [receipt.id, "sim/fault-stall", failure]
    expect(gateway.heard).toContainEqual({ name: "attemptFailed", facts })
    const paid = before - (await caller.balance())
    expect(paid).toBe(nanocredits(receipt.cost))
    expect(paid).toBeGreaterThan(0n)
    expect(paid).toBeLessThanOrEqual(nanocredits(receipt.hold))
    await nothingHeld(caller)
    await gateway.simulator.requests.at(-1)?.settled()
    expect(gateway.simulator.requests.at(-1)?.aborted).toBe(true)
  })

  test("times out if a whole response stalls", async () => {
    const response = await ask("sim/fault-stall", { idle: 250 })
    await expectTimeout(response, "the next bytes")
  })

  test("times out at the total deadline if its stream is endless", async () => {
    const response = await ask("scripted/drips-for-ever", { total: 500 }, { stream: true })
    const text = await response.text()
    expect(contentOf(text)).toStartWith("drip drip ")
    expect(streamErrorOf(text).message).toContain("the whole response")
    expect((await receiptOf(caller, response)).status).toBe("settled")
  })
})

describe("the stall deadline", () => {
  test("restarts with each frame", async () => {
    const response = await ask("scripted/slow-frames", { idle: 350 }, { stream: true })
    expect(await response.text()).toEndWith(DONE)
  })

  test("restarts with each comment that a vendor sends without content", async () => {
    const response = await ask("scripted/comments", { idle: 350 }, { stream: true })
    expect(response.status).toBe(200)
    expect(await response.text()).toEndWith(DONE)
  })

  test("restarts with white space before a whole response", async () => {
    const response = await ask("scripted/spaces-then-json", { idle: 350 })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 10 } })
  })

  test("pauses while the caller reads slowly", async () => {
    const response = await ask("scripted/much", { idle: 2_000 }, { stream: true })
    // Waits until the gateway has read as much as it reads without a reader.
    await clock.looks(3)
    await clock.pass(3_000)
    expect((await response.text()).slice(-DONE.length)).toBe(DONE)
  })
})

/** The head of a stream. All following data is its body, until the connection closes. */
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"

describe("a vendor behind a raw socket", () => {
  test("keeps its connection if it begins to answer while its address is probed", async () => {
    const connect = 2_000
    const answer = ask("narrow/echo", { connect }, { stream: true })
    // The request's own connection fills the queue, so the probe of the address cannot connect.
    await clock.looks(1)
    await clock.pass(connect + 500)
    const connection = await narrow.take()
    connection.write(HEAD + frame("Hello"))
    const response = await answer
    await clock.pass(2 * connect)
    connection.write(frame("", "stop") + usageFrame(10, 1) + DONE)
    connection.close()
    expect(await response.text()).toEndWith(DONE)
  })

  test("must meet the first-byte deadline even if it sends its headers immediately", async () => {
    using eager = startSilentListener()
    const { settings } = gateway
    await gateway.app.apply({
      ...settings,
      providers: { eager: provider(`${eager.url}/v1`) },
      models: { "eager/echo": simulated() },
      timeouts: { ...UNREACHED_TIMEOUTS, idle: 2_000 },
    })
    const answer = caller.post(CHAT, { model: "eager/echo", messages: WORDS, stream: true })
    const connection = await eager.take()
    connection.write(HEAD)
    await clock.looks(2)
    await clock.pass(3_000)
    connection.write(WHOLE_STREAM)
    connection.close()
    const response = await answer
    expect(response.status).toBe(200)
    expect(await response.text()).toEndWith(DONE)
  })
})

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings } from "../../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, contentOf, errorOf, HELLO, nothingHeld, receiptOf } from "../support.ts"

/** Returns a model whose first deployment fails. The second deployment receives requests only after that. */
function backedUp(provider: string, model: string): ModelSettings {
  return simulated({
    deployments: [
      { provider, model, weight: 1 },
      { provider: "sim", model: "echo", weight: 0 },
    ],
  })
}

/**
 * The failing upstream model, whether its streams fail before they begin, and the status and outcome of the attempt.
 */
const FAILURES: readonly [string, string, boolean, number, string][] = [
  ["sim", "fault-500", true, 500, "upstream_error"],
  ["sim", "fault-503", true, 503, "upstream_overloaded"],
  ["sim", "fault-429", true, 429, "upstream_overloaded"],
  ["sim", "fault-401", true, 401, "upstream_error"],
  ["sim", "fault-402", true, 402, "upstream_error"],
  ["sim", "fault-404", true, 404, "upstream_error"],
  ["sim", "fault-html", true, 200, "upstream_error"],
  ["sim", "fault-empty", true, 200, "upstream_error"],
  ["sim", "fault-redirect", true, 302, "upstream_error"],
  ["sim", "fault-malformed", false, 200, "upstream_error"],
  ["sim", "fault-cut", false, 200, "upstream_error"],
  ["dead", "rejected", true, 0, "upstream_error"],
  ["short", "echo", true, 200, "upstream_error"],
]

/** An address at which no server listens, because only system services may use this port. */
const REJECTING_URL = "http://127.0.0.1:1/v1"

/** Streams that fail before their first content. */
const BROKEN_STREAMS: Readonly<Record<string, string>> = {
  "error-first": `data: {"error":{"message":"overloaded","type":"server_error"}}\n\n`,
  "ends-at-once": "",
  "comment-only": ": nothing\n\n",
  "not-json": "data: {broken\n\n",
}

async function startFailing(erring: ScriptedVendor): Promise<TestGateway> {
  const models = Object.fromEntries([
    ...FAILURES.map(([from, model]) => [`sim/${from}-${model}`, backedUp(from, model)]),
    ...Object.keys(BROKEN_STREAMS).map((name) => [`sim/${name}`, backedUp("erring", name)]),
  ]) as Record<string, ModelSettings>
  const gateway = await startGateway({
    providers: { dead: provider(REJECTING_URL), erring: provider(erring.url) },
    models: {
      ...models,
      "sim/rejecting": backedUp("sim", "fault-400-context"),
      "sim/ranked": simulated({
        deployments: [
          { provider: "sim", model: "fault-500", weight: 0 },
          { provider: "sim", model: "echo", weight: 1 },
        ],
      }),
      "sim/cooling-down": backedUp("sim", "flaky-9"),
      "sim/both-fail": simulated({
        deployments: [
          { provider: "sim", model: "fault-500", weight: 1 },
          { provider: "sim", model: "fault-429", weight: 0 },
        ],
      }),
    },
  })
  const short = provider(`${gateway.simulator.shortUrl}/v1`)
  const { settings } = gateway
  await gateway.app.apply({ ...settings, providers: { ...settings.providers, short } })
  return gateway
}

let gateway: TestGateway
let erring: ScriptedVendor
let caller: TestCaller

async function setUp(): Promise<void> {
  erring = startVendor(() =>
    streamed([BROKEN_STREAMS[String(erring.bodies.at(-1)?.["model"])] ?? ""]),
  )
  gateway = await startFailing(erring)
  caller = await gateway.caller("1")
}

async function tearDown(): Promise<void> {
  await gateway[Symbol.asyncDispose]()
  erring[Symbol.dispose]()
}

interface FailedAttempt {
  readonly deployment: string
  readonly status: number
  readonly outcome: string
}

/** Sends a request to a model whose first deployment fails. */
async function expectFailover(
  model: string,
  stream: boolean,
  failed: FailedAttempt,
): Promise<void> {
  const before = await chargesOf(caller)
  const response = await caller.post(CHAT, { model, messages: HELLO, stream })
  expect(response.status).toBe(200)
  const text = await response.text()
  if (stream) expect(text).toEndWith("data: [DONE]\n\n")
  const content = stream ? contentOf(text) : JSON.parse(text).choices[0].message.content
  expect(content).toBe("Hello there, gateway")
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ status: "settled", deployment: "sim/echo" })
  const answered = { deployment: "sim/echo", status: 200, outcome: "ok" }
  expect(receipt.attempts).toMatchObject([failed, answered])
  expect(gateway.heard).toContainEqual({
    name: "attemptFailed",
    facts: [
      receipt.id,
      failed.deployment,
      expect.objectContaining({ outcome: failed.outcome, status: failed.status }),
    ],
  })
  expect(await chargesOf(caller)).toBe(before + 1)
}

async function chargesOf(caller: TestCaller): Promise<number> {
  const entries = await gateway.store.entries.list(caller.account.id, 0, 1_000)
  return entries.filter(({ kind }) => kind === "charge").length
}

for (const stream of [false, true]) {
  const way = stream ? "streamed" : "whole"
  describe(`failover to the second deployment for one charge, ${way}`, () => {
    beforeAll(setUp)
    afterAll(tearDown)

    for (const [from, model, failsStreams, status, outcome] of FAILURES) {
      if (stream && !failsStreams) continue
      test(`happens after a failure of ${from}/${model}`, () =>
        expectFailover(`sim/${from}-${model}`, stream, {
          deployment: `${from}/${model}`,
          status,
          outcome,
        }))
    }

    for (const name of stream ? Object.keys(BROKEN_STREAMS) : []) {
      test(`happens if a stream is ${name}`, () =>
        expectFailover(`sim/${name}`, stream, {
          deployment: `erring/${name}`,
          status: 200,
          outcome: "upstream_error",
        }))
    }

    test("does not happen if the request itself causes the error", async () => {
      const before = await caller.balance()
      const response = await caller.post(CHAT, { model: "sim/rejecting", messages: HELLO, stream })
      expect(response.headers.get("x-should-retry")).toBe("false")
      const receipt = await receiptOf(caller, response)
      expect(await errorOf(response)).toMatchObject({
        status: 400,
        code: "context_length_exceeded",
        message: expect.stringContaining("maximum context length is 128000 tokens"),
      })
      expect(receipt.status).toBe("released")
      expect(receipt.attempts).toMatchObject([{ status: 400, outcome: "rejected_by_upstream" }])
      expect(await caller.balance()).toBe(before)
      await nothingHeld(caller)
    })
  })
}

async function attemptsOf(model: string): Promise<string[]> {
  const response = await caller.post(CHAT, { model, messages: HELLO })
  await response.text()
  const { attempts } = await receiptOf(caller, response)
  return attempts.map(({ deployment }) => deployment)
}

describe("the order of deployments", () => {
  beforeAll(setUp)
  afterAll(tearDown)

  test("leads to the last deployment's error and no charge if all deployments fail", async () => {
    const response = await caller.post(CHAT, { model: "sim/both-fail", messages: HELLO })
    expect(response.headers.get("retry-after")).toBe("2")
    expect(response.headers.get("x-should-retry")).toBe("true")
    expect(await errorOf(response)).toMatchObject({ status: 503, code: "upstream_overloaded" })
    const { attempts, status } = await receiptOf(caller, response)
    expect(attempts.map(({ deployment }) => deployment)).toEqual(["sim/fault-500", "sim/fault-429"])
    expect(status).toBe("released")
    expect(await caller.balance()).toBe(1_000_000_000n)
  })

  test("excludes a deployment with weight 0 while another deployment answers", async () => {
    for (let count = 0; count < 10; count++) {
      expect(await attemptsOf("sim/ranked")).toEqual(["sim/echo"])
    }
  })

  test("excludes a repeatedly failing deployment until its cooldown ends", async () => {
    const both = ["sim/flaky-9", "sim/echo"]
    for (let count = 0; count < 3; count++)
      expect(await attemptsOf("sim/cooling-down")).toEqual(both)
    expect(await attemptsOf("sim/cooling-down")).toEqual(["sim/echo"])
    // The deployment cools down for one second.
    let attempts = await attemptsOf("sim/cooling-down")
    while (attempts.length === 1) attempts = await attemptsOf("sim/cooling-down")
    expect(attempts).toEqual(both)
  })
})

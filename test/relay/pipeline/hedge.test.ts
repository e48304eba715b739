import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test"
import { Meter } from "../../../src/relay/metering/meter.ts"
import { Load } from "../../../src/routing/loads.ts"
import { simulated } from "../../support/gateway.ts"
import { until } from "../../support/until.ts"
import {
  failing,
  type HedgeWorld,
  keptReceiptIn,
  LATE,
  lateSoon,
  normally,
  pair,
  silent,
  startHedgeWorld,
  type Turn,
  when,
} from "./hedge-world.ts"
import { frame, streamed, usageFrame, wholeResponse } from "../scripted-vendor.ts"
import {
  CHAT,
  contentOf,
  creditsOf,
  errorOf,
  HELLO,
  nanocredits,
  nothingHeld,
  type Receipt,
  receiptOf,
  streamErrorOf,
} from "../support.ts"

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"] as const

let world: HedgeWorld
let late: ReturnType<typeof lateSoon>

beforeAll(async () => {
  const deployments = [
    { provider: "first", model: "speech", weight: 1 },
    { provider: "second", model: "speech", weight: 1 },
  ]
  world = await startHedgeWorld({
    ...Object.fromEntries(NAMES.map((name) => [`first/${name}`, pair(name)])),
    "first/j": pair("j", { disconnect: "cancel" }),
    "first/budget": pair("budget"),
    "first/warm": pair("warm"),
    "first/off": pair("off", { hedge: false }),
    "first/alone": simulated({ hedge: true }),
    "first/dear": pair("dear", {
      deployments: [
        { provider: "first", model: "dear", weight: 1, price: { input: "1", output: "1" } },
        { provider: "second", model: "dear", weight: 1, price: { input: "90", output: "90" } },
      ],
    }),
    "first/stored": pair("stored", {
      deployments: [
        { provider: "openai", model: "stored", weight: 1 },
        { provider: "second", model: "stored", weight: 1 },
      ],
    }),
    "first/vectors": { ...pair("vectors"), kind: "embedding", price: { input: "1" } },
    "first/speech": {
      kind: "speech",
      price: { character: "1" },
      strategy: "order",
      hedge: true,
      deployments,
    },
  })
})

beforeEach(() => {
  late = lateSoon()
  for (const vendor of [world.first, world.second]) {
    vendor.turns = []
    vendor.bodies.length = 0
  }
})

afterEach(() => late.mockRestore())
afterAll(() => world[Symbol.asyncDispose]())

const ask = (model: string, more: object = {}) =>
  world.caller.post(CHAT, { model: `first/${model}`, messages: HELLO, ...more })

const keptReceipt = (response: Response) => keptReceiptIn(world, response)

/** The charges of a caller during an action, in nanocredits. */
async function paidFor<Value>(act: () => Promise<Value>): Promise<[Value, bigint]> {
  await nothingHeld(world.caller)
  const before = await creditsOf(world.caller)
  const value = await act()
  await nothingHeld(world.caller)
  const after = await creditsOf(world.caller)
  return [value, nanocredits(before.balance) - nanocredits(after.balance)]
}

const outcomes = ({ attempts }: Receipt) =>
  attempts.map(({ deployment, outcome }) => `${deployment} ${outcome}`)

describe("a hedged request to the second deployment when the first is late", () => {
  for (const stream of [false, true]) {
    const name = stream ? "b" : "a"
    test(`returns a ${stream ? "streamed" : "whole"} response for one charge, and cancels the first call`, async () => {
      const { first, second } = world
      const aborted = first.aborted
      first.turns = [silent]
      const [response, paid] = await paidFor(async () => {
        const response = await ask(name, { stream })
        const text = await response.text()
        expect(stream ? contentOf(text) : text).toContain("Hello")
        return response
      })
      expect(response.headers.get("x-tollgate-provider")).toBe("second")
      expect([first.bodies.length, second.bodies.length]).toEqual([1, 1])
      await until(() => first.aborted === aborted + 1)
      const receipt = await keptReceipt(response)
      expect(outcomes(receipt)).toEqual([`first/${name} not_needed`, `second/${name} ok`])
      expect(receipt.deployment).toBe(`second/${name}`)
      expect(paid).toBe(nanocredits(receipt.cost))
      // The cost of the first attempt is its whole input at its price. The hold is this amount and the output.
      const [loser, winner] = receipt.attempts
      expect(nanocredits(loser?.provider_cost ?? "0")).toBeGreaterThan(0n)
      expect(nanocredits(loser?.provider_cost ?? "0")).toBeLessThan(nanocredits(receipt.hold))
      expect(winner?.provider_cost).toBeUndefined()
      // A late response does not count as a failure. On a busy machine, this call may be hedged too.
      const next = await keptReceipt(await ask(name))
      expect(outcomes(next).join()).toMatch(new RegExp(`first/${name} (ok|not_needed)`))
    })
  }

  test("ends with a cancelled second call if the first deployment answers earlier", async () => {
    const { first, second } = world
    const aborted = second.aborted
    const asked = Promise.withResolvers<void>()
    first.turns = [when(asked.promise, () => Response.json(wholeResponse("First")))]
    second.turns = [
      () => {
        asked.resolve()
        return new Promise(() => undefined)
      },
    ]
    const response = await ask("c")
    expect(await response.text()).toContain("First")
    await until(() => second.aborted === aborted + 1)
    expect(outcomes(await keptReceipt(response))).toEqual(["second/c not_needed", "first/c ok"])
  })

  test("results in one charge if both deployments answer at the same time", async () => {
    const { first, second } = world
    for (const stream of [false, true]) {
      const both = Promise.withResolvers<void>()
      first.turns = [when(both.promise, () => normally({ stream }))]
      second.turns = [
        () => {
          setTimeout(both.resolve, 5)
          return both.promise.then(() => normally({ stream }))
        },
      ]
      const [response, paid] = await paidFor(async () => {
        const response = await ask("d", { stream })
        const text = await response.text()
        if (stream) expect(contentOf(text)).toBe("Hello")
        return response
      })
      const receipt = await keptReceipt(response)
      expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(["not_needed", "ok"])
      expect(receipt.attempts.at(-1)?.deployment).toBe(receipt.deployment ?? "")
      expect(paid).toBe(nanocredits(receipt.cost))
    }
  })

  test("continues alone if the first deployment fails", async () => {
    using ended = spyOn(Load.prototype, "end")
    const { first, second } = world
    const failed = Promise.withResolvers<void>()
    first.turns = [when(failed.promise, failing(500))]
    second.turns = [
      async () => {
        failed.resolve()
        await until(() => ended.mock.calls.length > 0)
        return Response.json(wholeResponse())
      },
    ]
    const response = await ask("e")
    expect(response.status).toBe(200)
    expect(outcomes(await keptReceipt(response))).toEqual(["first/e upstream_error", "second/e ok"])
    expect(second.bodies).toHaveLength(1)
  })

  const secondFails: readonly [string, Turn][] = [
    ["fails", failing(500)],
    ["rejects the request", failing(400)],
    ["asks for fewer requests", failing(429)],
  ]
  test.each(secondFails)("has no effect if the second deployment %s", async (_, turn) => {
    using ended = spyOn(Load.prototype, "end")
    const { first, second } = world
    const over = Promise.withResolvers<void>()
    first.turns = [when(over.promise, () => Response.json(wholeResponse("First")))]
    second.turns = [
      (request) => {
        void until(() => ended.mock.calls.length > 0).then(over.resolve)
        return turn(request)
      },
    ]
    const response = await ask("f")
    expect(await response.text()).toContain("First")
    const receipt = await keptReceipt(response)
    expect(receipt.attempts.map(({ deployment }) => deployment)).toEqual(["second/f", "first/f"])
    expect(receipt.attempts.at(-1)?.outcome).toBe("ok")
  })

  test("ends with a cancelled call if the first deployment rejects the request itself", async () => {
    const { first, second } = world
    const aborted = second.aborted
    const asked = Promise.withResolvers<void>()
    first.turns = [when(asked.promise, failing(400))]
    second.turns = [
      () => {
        asked.resolve()
        return new Promise(() => undefined)
      },
    ]
    const [response, paid] = await paidFor(() => ask("g"))
    expect(response.status).toBe(400)
    expect(paid).toBe(0n)
    await until(() => second.aborted === aborted + 1)
  })

  test.each([false, true])(
    "results in a charge if the first deployment's response is unreadable, streamed: %s",
    async (stream) => {
      const { first, second } = world
      const asked = Promise.withResolvers<void>()
      const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }
      const calls = Array.from({ length: 1_001 }, () => call)
      const message = { role: "assistant", content: null, tool_calls: calls }
      const usage = { prompt_tokens: 30, completion_tokens: 400, total_tokens: 430 }
      const answer = {
        id: "chatcmpl-1",
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: "tool_calls" }],
        usage,
      }
      first.turns = [when(asked.promise, () => Response.json(answer))]
      second.turns = [
        () => {
          asked.resolve()
          return new Promise(() => undefined)
        },
      ]
      const [response, paid] = await paidFor(() => ask("k", { stream }))
      expect(response.status).toBe(502)
      const receipt = await keptReceipt(response)
      expect(outcomes(receipt)).toEqual(["first/k upstream_error", "second/k not_needed"])
      expect(receipt.usage).toEqual({ input: 30, output: 400 })
      expect(paid).toBe(nanocredits(receipt.cost))
    },
  )

  test("ends with an error and no charge if both deployments fail", async () => {
    const { first, second } = world
    const failed = Promise.withResolvers<void>()
    first.turns = [when(failed.promise, failing(500))]
    second.turns = [
      () => {
        failed.resolve()
        return failing(500)(new Request("http://x"))
      },
    ]
    const [response, paid] = await paidFor(() => ask("h"))
    expect(response.status).toBe(502)
    await errorOf(response)
    expect(paid).toBe(0n)
    expect([first.bodies.length, second.bodies.length]).toEqual([1, 1])
  })

  test("does not retry the first deployment if the second deployment breaks off within its response", async () => {
    const { first, second } = world
    first.turns = [silent]
    second.turns = [() => streamed([frame("Hel")])]
    const [response, paid] = await paidFor(async () => {
      const response = await ask("i", { stream: true })
      const text = await response.text()
      expect(text.match(/"error"/g)).toHaveLength(1)
      streamErrorOf(text)
      return response
    })
    expect([first.bodies.length, second.bodies.length]).toEqual([1, 1])
    const receipt = await keptReceipt(response)
    expect(outcomes(receipt)).toEqual(["first/i not_needed", "second/i upstream_error"])
    expect(paid).toBe(nanocredits(receipt.cost))
  })

  for (const isCounted of [false, true]) {
    for (const stream of [false, true]) {
      if (isCounted && !stream) continue
      const count = isCounted ? "both have counted" : "neither has counted"
      test(`ends with a cancelled call if the caller disconnects: ${count}, ${stream ? "streamed" : "whole"}`, async () => {
        using begun = spyOn(Load.prototype, "begin")
        using ended = spyOn(Load.prototype, "end")
        using counted = spyOn(Meter.prototype, "push")
        const { first, second, gateway, caller } = world
        const aborted = first.aborted + second.aborted
        // Sends the usage and then nothing more.
        const counting: Turn = () => streamed([usageFrame(10, 0), 600_000])
        const isHedged = () => until(() => second.bodies.length === 1)
        first.turns = [isCounted ? (request) => isHedged().then(() => counting(request)) : silent]
        second.turns = [isCounted ? counting : silent]
        const left = new AbortController()
        const [, paid] = await paidFor(async () => {
          const running = fetch(`${gateway.url}${CHAT}`, {
            method: "POST",
            headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
            body: JSON.stringify({ model: "first/j", messages: HELLO, stream }),
            signal: left.signal,
          }).catch(() => undefined)
          await isHedged()
          if (isCounted) await until(() => counted.mock.calls.length >= 2)
          left.abort()
          await running
          await until(() => first.aborted + second.aborted === aborted + 2)
        })
        await until(() => ended.mock.calls.length === begun.mock.calls.length)
        // One prompt is charged, by the provider's count or by the gateway's count.
        expect(paid).toBe(isCounted ? 10_000n : 8_000n)
      })
    }
  }

  test("works for embeddings", async () => {
    world.first.turns = [silent]
    const response = await world.caller.post("/v1/embeddings", {
      model: "first/vectors",
      input: "Hi",
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("x-tollgate-provider")).toBe("second")
    const receipt = await keptReceipt(response)
    expect(outcomes(receipt)).toEqual(["first/vectors not_needed", "second/vectors ok"])
    expect(receipt.cost).toBe("0.000002")
  })

  test("works for speech", async () => {
    world.first.turns = [silent]
    world.second.turns = [
      () => new Response("sound".repeat(100), { headers: { "content-type": "audio/mpeg" } }),
    ]
    const [response, paid] = await paidFor(async () => {
      const response = await world.caller.post("/v1/audio/speech", {
        model: "first/speech",
        input: "Hello",
        voice: "alloy",
      })
      expect(await response.text()).toBe("sound".repeat(100))
      return response
    })
    const receipt = await keptReceipt(response)
    expect(outcomes(receipt)).toEqual(["first/speech not_needed", "second/speech ok"])
    expect(paid).toBe(5_000n)
  })

  test("requires credits for both calls, and a low balance shortens the response at the higher price", async () => {
    const poor = await world.gateway.caller("0.02")
    world.first.turns = [silent]
    const response = await poor.post(CHAT, { model: "first/dear", messages: HELLO })
    expect(response.status).toBe(200)
    expect(Number(response.headers.get("x-tollgate-max-tokens"))).toBeLessThan(1_000)
    const receipt = await receiptOf(poor, response)
    expect(receipt.deployment).toBe("second/dear")
    expect(receipt.cost).toBe("0.00099")
    expect(await poor.balance()).toBe(20_000_000n - 990_000n)
    const poorest = await world.gateway.caller("0.0001")
    expect((await poorest.post(CHAT, { model: "first/dear", messages: HELLO })).status).toBe(402)
  })
})

describe("a request to the first deployment alone", () => {
  /** The first vendor answers late, but soon enough that no caller waits for long. */
  const lately: Turn = async () => {
    await Bun.sleep(250)
    return Response.json(wholeResponse())
  }

  test("sends no hedge if hedging is off", async () => {
    world.first.turns = [lately]
    expect((await ask("off")).status).toBe(200)
    expect(world.second.bodies).toHaveLength(0)
    expect(late).not.toHaveBeenCalled()
  })

  test("sends no hedge if there is no other deployment", async () => {
    world.first.turns = [lately]
    expect((await ask("alone")).status).toBe(200)
    expect(late).not.toHaveBeenCalled()
  })

  test("sends no hedge after the deployment has begun to answer", async () => {
    // A busy machine sends the first byte in time, too.
    late.mockReturnValue(1_000)
    world.first.turns = [
      () => {
        const body = new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode(" "))
            await Bun.sleep(1_500)
            controller.enqueue(new TextEncoder().encode(JSON.stringify(wholeResponse())))
            controller.close()
          },
        })
        return new Response(body, { headers: { "content-type": "application/json" } })
      },
    ]
    expect((await ask("k")).status).toBe(200)
    expect(world.second.bodies).toHaveLength(0)
  })

  test("sends no hedge if the vendor stores the response", async () => {
    const body = {
      id: "resp_1",
      object: "response",
      created_at: 1,
      status: "completed",
      model: "x",
      output: [],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }
    world.first.turns = [
      async () => {
        await Bun.sleep(250)
        return Response.json(body)
      },
    ]
    const response = await world.caller.post("/v1/responses", {
      model: "first/stored",
      input: "Hi",
      store: true,
    })
    expect(response.status).toBe(200)
    expect(world.second.bodies).toHaveLength(0)
  })

  test("sends no hedge beyond the hedge budget, so that an outage is not amplified", async () => {
    const { first, second } = world
    const over = Promise.withResolvers<void>()
    const asked = 30
    first.turns = Array.from({ length: asked }, () =>
      when(over.promise, () => Response.json(wholeResponse())),
    )
    const responses = Array.from({ length: asked }, () => ask("budget"))
    await until(() => first.bodies.length === asked && second.bodies.length === 10)
    await Bun.sleep(100)
    expect(second.bodies).toHaveLength(10)
    over.resolve()
    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  test("sends no hedge until enough latencies have been measured", async () => {
    late.mockRestore()
    world.first.turns = [lately]
    expect((await ask("warm")).status).toBe(200)
    // The twentieth measurement makes a hedge possible.
    for (let request = 1; request < 20; request++) await (await ask("warm")).text()
    expect(world.second.bodies).toHaveLength(0)
    world.first.turns = [silent]
    expect((await ask("warm")).headers.get("x-tollgate-provider")).toBe("second")
  })
})

test("a slow deployment does not cause a hedged call to a fallback model", async () => {
  const at = (name: string) =>
    simulated({ deployments: [{ provider: name, model: name, weight: 1 }] })
  await using slow = await startHedgeWorld(
    {
      "first/own": at("first"),
      "second/own": at("second"),
      "auto/order": {
        strategy: "order",
        members: ["first/own", "second/own"].map((model) => ({ model, weight: 1 })),
      },
    },
    true,
  )
  const bodies = [{ model: "first/own", models: ["second/own"] }, { model: "auto/order" }]
  for (const body of bodies) {
    slow.first.turns.push(async () => {
      await Bun.sleep(3 * LATE)
      return Response.json(wholeResponse())
    })
    const response = await slow.caller.post(CHAT, { ...body, messages: HELLO })
    expect(await response.json()).toMatchObject({ model: "first/own" })
    expect(slow.second.bodies).toEqual([])
  }
})

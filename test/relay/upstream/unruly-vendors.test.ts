import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { nextTurn, ownTurn } from "../../../src/canon/next-turn.ts"
import { SseParser } from "../../../src/wire/sse.ts"
import { longestPause } from "../../support/pauses.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { frame, streamed, WHOLE_STREAM, wholeResponse } from "../scripted-vendor.ts"
import { CHAT, contentOf, HELLO, nothingHeld, receiptOf } from "../support.ts"

const MEGABYTE = 1024 * 1024
/** The longest time in milliseconds in which the gateway may serve no other request. */
const MAX_PAUSE_MS = 200

type Handler = (body: Record<string, unknown>) => Response

const good: Handler = (body) => {
  if (body["input"] !== undefined) {
    const data = [{ object: "embedding", index: 0, embedding: [0.1, 0.2] }]
    const usage = { prompt_tokens: 2, total_tokens: 2 }
    return Response.json({ object: "list", model: "x", data, usage })
  }
  return body["stream"] === true ? streamed([WHOLE_STREAM]) : Response.json(wholeResponse())
}
const status = (code: number): Handler => {
  return () => Response.json({ error: { message: "no" } }, { status: code })
}

/** The next responses of each upstream model. Models without an entry work. */
const responses = new Map<string, Handler[]>()
/** Number of requests for each upstream model. */
const asked = new Map<string, number>()
/** Number of bytes of an endless response that were sent. */
let sent = 0

let vendor: Bun.Server<undefined>
let gateway: TestGateway
let caller: TestCaller
/** A caller of another gateway with the same models, whose vendors must send content within a second. */
let impatient: TestCaller
let impatientGateway: TestGateway

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as Record<string, unknown>
      const model = String(body["model"])
      asked.set(model, (asked.get(model) ?? 0) + 1)
      return (responses.get(model)?.shift() ?? good)(body)
    },
  })
  // A busy machine may take longer than a second to read the largest frames.
  gateway = await startOdd(20_000)
  impatientGateway = await startOdd(1_000)
  impatient = await impatientGateway.caller("100")
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await impatientGateway[Symbol.asyncDispose]()
  await vendor.stop(true)
})

/** Starts a gateway for the models of the vendor. */
function startOdd(firstByteMs: number): Promise<TestGateway> {
  const at = (model: string, weight: number) => ({ provider: "odd", model, weight })
  const backedUp = (name: string) =>
    simulated({ deployments: [at(`${name}-bad`, 1), at(`${name}-good`, 0)] })
  const names = [
    "lines",
    "comments",
    "frames",
    "garbage",
    "values",
    "weights",
    "alive",
    "blanks",
    "rejected",
  ]
  return startGateway({
    providers: { odd: provider(`http://127.0.0.1:${vendor.port}/v1`) },
    models: {
      ...Object.fromEntries(names.map((name) => [`odd/${name}`, backedUp(name)])),
      "odd/three": simulated({ deployments: ["a", "b", "c"].map((name) => at(name, 1)) }),
      "odd/vectors": {
        kind: "embedding",
        price: { input: "1" },
        deployments: [at("vectors", 1)],
      },
    },
    settings: {
      routing: { strategy: "weight", affinity: true, hedge: false, retries: 1 },
      timeouts: { connect: 5_000, firstByte: firstByteMs, idle: 20_000, total: 60_000 },
    },
  })
}

beforeEach(() => {
  responses.clear()
  asked.clear()
})

const ask = (model: string, stream: boolean, asking = caller) =>
  asking.post(CHAT, { model, messages: HELLO, stream })

/** Returns a response of three gigabytes that are generated while they are read. */
function endless(type: string, text: string): Handler {
  const chunk = Buffer.from(text.repeat(Math.ceil((64 * 1024) / text.length)))
  return () => {
    sent = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          sent += chunk.byteLength
          if (sent > 3 * 1024 * MEGABYTE) controller.close()
          else controller.enqueue(chunk)
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { headers: { "content-type": type } })
  }
}

function choices(count: number): string {
  const all = Array.from({ length: count }, (_, index) => ({ index, delta: { content: "a" } }))
  return JSON.stringify({ id: "1", model: "x", choices: all })
}

/** Returns a response that sends a comment every tenth of a second and has no content. */
function alive(type: string, sign: string): Handler {
  return () => {
    let timer: Timer
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        timer = setInterval(() => controller.enqueue(Buffer.from(sign)), 100)
      },
      cancel: () => clearInterval(timer),
    })
    return new Response(body, { headers: { "content-type": type } })
  }
}

describe("a vendor that never sends content", () => {
  const EVENTS = "text/event-stream"
  const JSON_TYPE = "application/json"
  const floods: readonly [string, string, Handler, boolean, number][] = [
    ["lines outside of events", "lines", endless(EVENTS, " \n"), true, 8],
    ["comments", "comments", endless(EVENTS, ": alive\n\n"), true, 16],
    ["empty frames", "frames", endless(EVENTS, "data: {}\n\n"), true, 24],
    ["invalid JSON", "garbage", endless(JSON_TYPE, "garbage "), false, 8],
  ]
  for (const [what, name, flood, stream, most] of floods) {
    test(`causes a failover if it sends an endless stream of ${what}`, async () => {
      const pause = await longestPause(MAX_PAUSE_MS, async () => {
        responses.set(`${name}-bad`, [flood])
        const response = await ask(`odd/${name}`, stream)
        expect(response.status).toBe(200)
        await response.text()
        expect(sent).toBeLessThan(most * MEGABYTE)
      })
      expect(pause).toBeLessThan(MAX_PAUSE_MS)
      await nothingHeld(caller)
    })
  }

  test("causes a failover if it sends millions of JSON values with the content type text/plain", async () => {
    const many = `{"choices":[${"{},".repeat(2_000_000)}{}]}`
    responses.set("values-bad", [
      () => new Response(many, { headers: { "content-type": "text/plain" } }),
    ])
    const response = await ask("odd/values", false)
    expect(response.status).toBe(200)
    const { attempts } = await receiptOf(caller, response)
    expect(attempts).toMatchObject([{ outcome: "upstream_error" }, { outcome: "ok" }])
    const [failure] = gateway.heard.filter(({ name }) => name === "attemptEnded").slice(-1)
    expect(JSON.stringify(failure)).toContain("choices, which was not read")
  })

  const many: readonly [what: string, json: string, stream: boolean, said: string][] = [
    ["two million elements in a frame", `{"a":[${"0,".repeat(2_000_000)}0]}`, true, "elements"],
    ["eleven million elements", `{"choices":[${"0,".repeat(11_000_000)}0]}`, false, "elements"],
    ["a frame with more than the possible choices", choices(20_000), true, "choices"],
    ["more than the possible choices", choices(20_000), false, "choices"],
    [
      "frames of many values without content",
      `{"a":[${"{},    ".repeat(249_000)}0]}`,
      true,
      "without content",
    ],
  ]
  // A deployment that fails three times in a row rests, so the cases are divided among several deployments.
  const numbered = many.map((one, index) => [index < 2 ? "values" : "weights", ...one] as const)
  for (const [name, what, json, stream, said] of numbered) {
    test(`causes a failover without delaying other requests if it sends ${what}`, async () => {
      const type = stream ? EVENTS : JSON_TYPE
      const body = stream ? `data: ${json}\n\n`.repeat(24) : json
      responses.set(`${name}-bad`, [
        () => new Response(body, { headers: { "content-type": type } }),
      ])
      const response = await ask(`odd/${name}`, stream)
      expect(response.status).toBe(200)
      await response.text()
      const { attempts } = await receiptOf(caller, response)
      expect(attempts).toMatchObject([{ outcome: "upstream_error" }, { outcome: "ok" }])
      const [failure] = gateway.heard.filter(({ name }) => name === "attemptEnded").slice(-1)
      expect(JSON.stringify(failure)).toContain(said)
      await nothingHeld(caller)
    })
  }

  const signs: readonly [string, string, string, string, boolean][] = [
    ["only occasional comments", "alive", "text/event-stream", ": alive\n\n", true],
    ["only occasional white space", "blanks", "application/json", "\n", false],
  ]
  for (const [what, name, type, sign, stream] of signs) {
    test(`causes a failover if it sends ${what}`, async () => {
      responses.set(`${name}-bad`, [alive(type, sign)])
      const response = await ask(`odd/${name}`, stream, impatient)
      expect(response.status).toBe(200)
      await response.text()
      const { attempts } = await receiptOf(impatient, response)
      expect(attempts).toMatchObject([{ outcome: "upstream_timeout" }, { outcome: "ok" }])
    })
  }
})

test("expensive decoding is sequential, and does not block other requests", async () => {
  const order: string[] = []
  const heavy = ["first", "second", "third"].map(async (name) => {
    await ownTurn()
    order.push(name)
  })
  const others = (async () => {
    while (order.filter((name) => name !== "other").length < heavy.length) {
      await nextTurn()
      order.push("other")
    }
  })()
  await Promise.all([...heavy, others])
  expect(order.join()).toMatch(/first.*other.*second.*other.*third/)
})

test("comments in a stream use no memory of other requests", () => {
  let taken = 0
  const memory = {
    takeResponse: (bytes: number) => void (taken += bytes),
    give: (bytes: number) => void (taken -= bytes),
  }
  const parser = new SseParser({ memory })
  for (let count = 0; count < 16; count++) {
    parser.push(Buffer.from(": alive and well, thank you\n".repeat(2_000)))
    expect(taken).toBe(0)
  }
  parser.push(Buffer.from(`data: ${"a".repeat(MEGABYTE)}`))
  expect(taken).toBeGreaterThan(MEGABYTE)
  expect(parser.push(Buffer.from("\n\n"))).toHaveLength(1)
  // The event takes memory until its reader reads on.
  expect(parser.push(Buffer.from("data: short\n\n"))).toHaveLength(1)
  expect(taken).toBe(0)
})

test("an outage of all deployments is not amplified, and deployments are probed during their cooldown", async () => {
  const requests = 200
  for (const name of ["a", "b", "c"]) {
    responses.set(
      name,
      Array.from({ length: requests * 2 }, () => status(500)),
    )
  }
  const counted = () => [...asked.values()].reduce((sum, count) => sum + count, 0)
  // Sends requests until the gateway has detected that all three deployments fail.
  for (let failure = 0; failure < 3; failure++) {
    expect((await ask("odd/three", false)).status).toBe(502)
  }
  const before = counted()
  const begun = performance.now()
  const all = await Promise.all(Array.from({ length: requests }, () => ask("odd/three", false)))
  // On a busy machine, one of the requests may wait too long.
  expect(all.filter((response) => response.status < 502)).toEqual([])
  const seconds = (performance.now() - begun) / 1_000
  // Each of the three deployments may be retried ten times, and may receive ten requests per second although it is
  // resting. This limit exceeds the number of unlimited attempts only if the machine is very busy.
  const most = requests + 3 * (10 + 10 + 10 * seconds)
  expect(counted() - before).toBeLessThanOrEqual(most)
  responses.clear()
  let response = await ask("odd/three", false)
  while (response.status !== 200) response = await ask("odd/three", false)
  expect(response.status).toBe(200)
})

test("a failing deployment is retried even if other deployments fail", async () => {
  responses.set("rejected-bad", [status(500), status(500)])
  responses.set("rejected-good", [status(401), status(401)])
  const first = await ask("odd/rejected", false)
  expect(first.status).toBe(502)
  responses.set("rejected-bad", [status(500)])
  const second = await ask("odd/rejected", false)
  expect(second.status).toBe(200)
  const { attempts } = await receiptOf(caller, second)
  expect(attempts.map(({ status: code }) => code)).toEqual([500, 401, 200])
})

test("an embedding response that cannot be used counts as a failed attempt", async () => {
  responses.set("vectors", [() => Response.json({})])
  const response = await caller.post("/v1/embeddings", { model: "odd/vectors", input: "Hi" })
  expect(response.status).toBe(200)
  const { attempts } = await receiptOf(caller, response)
  expect(attempts).toMatchObject([{ outcome: "upstream_error" }, { outcome: "ok" }])
  expect(gateway.heard).toContainEqual(
    expect.objectContaining({
      name: "attemptFailed",
      facts: expect.arrayContaining(["odd/vectors"]),
    }),
  )
})

test("frames that arrive before the first content are sent together with the first content", async () => {
  responses.set("three", [() => streamed([frame(""), 20, WHOLE_STREAM])])
  const response = await ask("odd/three", true)
  expect(contentOf(await response.text())).toBe("Hello")
})

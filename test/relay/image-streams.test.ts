import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { APIError } from "openai"
import type { ImageEditStreamEvent, ImageGenStreamEvent } from "openai/resources/images"
import { drawPng } from "../../simulator/image/draw.ts"
import { imageSize } from "../../src/media/image-size.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { png, pngFile } from "../support/png.ts"
import { type ScriptedVendor, startVendor } from "./scripted-vendor.ts"
import { type ErrorBody, expectRefusal, image, sendForm } from "./image-support.ts"
import { until } from "../support/until.ts"

/** What OpenAI charges: text in, images out. */
const TOKENS = { price: { input: "5", output: "40" } } as const
/** Output tokens of an image and what is said beside it, of a model of which nothing is known. */
const MAX_OF_IMAGE = 8_192 + 8_192
const SQUARE = { width: 1024, height: 1024 }

let gateway: TestGateway
let caller: TestCaller

/** A vendor that does not know of streams. */
let deaf: ScriptedVendor

beforeAll(async () => {
  deaf = startVendor(() =>
    Response.json({ created: 1, data: [{ b64_json: Buffer.from(png(8, 8)).toString("base64") }] }),
  )
  gateway = await startGateway({
    providersAt: (url) => ({
      openai: provider(`${url}/v1`, "openai"),
      deaf: provider(deaf.url, "openai"),
      google: provider(url, "google"),
      stability: provider(url, "stability"),
      together: provider(`${url}/v1`, "together"),
    }),
    models: {
      "openai/gpt-image-1": image(TOKENS),
      "openai/gpt-image-priced": image(),
      "openai/fault-no-usage": image(TOKENS),
      "openai/fault-cut": image(TOKENS),
      "openai/fault-malformed": image(TOKENS),
      "openai/fault-stream-error": image(TOKENS),
      "openai/fault-no-finish": image(TOKENS),
      "openai/fault-stall": image(TOKENS),
      "openai/fault-slow-first-byte": image(TOKENS),
      "openai/priced-stall": image({
        deployments: [{ provider: "openai", model: "fault-stall", weight: 1 }],
      }),
      "openai/priced-cut": image({
        deployments: [{ provider: "openai", model: "fault-cut", weight: 1 }],
      }),
      "openai/dall-e-2": image(),
      "openai/two": image({
        ...TOKENS,
        deployments: [
          { provider: "openai", model: "fault-no-finish", weight: 1_000_000 },
          { provider: "openai", model: "gpt-image-1", weight: 1 },
        ],
      }),
      "deaf/gpt-image-1": image(),
      "google/gemini-2.5-flash-image": image({ price: { input: "0.3", output: "30" } }),
      "stability/core": image(),
      "stability/inpaint": image(),
      "together/black-forest-labs/FLUX.1-schnell": image(),
    },
    settings: {
      limits: { bodyBytes: 1 << 22, mediaBytes: 1 << 22, answerBytes: 1 << 26, mediaPrivate: true },
    },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  deaf[Symbol.dispose]()
})

type AnyEvent = ImageGenStreamEvent | ImageEditStreamEvent

async function all<T extends AnyEvent>(stream: AsyncIterable<T>): Promise<T[]> {
  return await Array.fromAsync(stream)
}

function bytesOf(event: AnyEvent | undefined): Buffer {
  return Buffer.from(event?.b64_json ?? "", "base64")
}

interface Seen {
  readonly status: string
  readonly estimated: boolean
  readonly usage: Readonly<Record<string, number>>
  readonly cost: string
  readonly hold: string
  readonly attempts: readonly { readonly outcome: string }[]
}

async function receiptOf(headers: Headers): Promise<Seen> {
  return (await (await caller.get(`/v1/receipts/${headers.get("x-request-id")}`)).json()) as Seen
}

function generate(body: object, headers: Record<string, string> = {}): Promise<Response> {
  const order = { prompt: "an owl", stream: true, ...body }
  return caller.post("/v1/images/generations", order, headers)
}

async function nothingHeld(): Promise<void> {
  await until(async () => {
    const credits = (await (await caller.get("/v1/credits")).json()) as { held: string }
    return credits.held === "0"
  })
}

describe("a vendor that streams", () => {
  test("generate: drafts as they come, then the picture, its tokens and its cost", async () => {
    const before = await caller.balance()
    const { data: stream, response } = await caller.client.images
      .generate({
        model: "openai/gpt-image-1",
        prompt: "an owl",
        quality: "low",
        stream: true,
        partial_images: 2,
      })
      .withResponse()
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    expect(response.headers.get("x-tollgate-losses")).toBeNull()
    expect(response.headers.get("x-tollgate-cost")).toBeNull()
    expect(response.headers.get("x-tollgate-provider")).toBe("openai")
    const events = await all(stream)
    expect(events.map(({ type }) => type)).toEqual([
      "image_generation.partial_image",
      "image_generation.partial_image",
      "image_generation.completed",
    ])
    expect(bytesOf(events[1]).equals(drawPng("an owl 0 draft 1", SQUARE))).toBe(true)
    expect(bytesOf(events[2]).equals(drawPng("an owl 0", SQUARE))).toBe(true)
    const charged = before - (await caller.balance())
    const { usage } = (await receiptOf(response.headers)) as Seen
    expect(usage).toMatchObject({ output: 272 + 200, image: 1 })
    expect(charged).toBe(BigInt(usage["input"] ?? 0) * 5_000n + 472n * 40_000n)
    expect(events[2]).toMatchObject({
      size: "1024x1024",
      quality: "low",
      usage: { output_tokens: 472, cost: Number(charged) / 1e9 },
    })
    const sent = gateway.simulator.requests.at(-1)?.body
    expect(sent).toEqual({
      model: "gpt-image-1",
      prompt: "an owl",
      size: "1024x1024",
      quality: "low",
      stream: true,
      partial_images: 2,
      n: 1,
    })
  })

  test("edit: the same, from a form", async () => {
    const { data: stream, response } = await caller.client.images
      .edit({
        model: "openai/gpt-image-1",
        image: pngFile(png(64, 64)),
        mask: pngFile(png(64, 64), "mask.png"),
        prompt: "a hat",
        stream: true,
        partial_images: 1,
      })
      .withResponse()
    const events = await all(stream)
    expect(events.map(({ type }) => type)).toEqual([
      "image_edit.partial_image",
      "image_edit.completed",
    ])
    const { usage, status, estimated } = await receiptOf(response.headers)
    expect([status, estimated]).toEqual(["settled", false])
    expect(usage).toMatchObject({ output: 4_260, image: 1, image_input: 194 })
    expect(gateway.simulator.requests.at(-1)?.body).toMatchObject({
      stream: "true",
      partial_images: "1",
    })
  })

  test("no drafts: the picture is the one event", async () => {
    const events = await all(
      await caller.client.images.generate({
        model: "openai/gpt-image-priced",
        prompt: "an owl",
        stream: true,
      }),
    )
    expect(events.map(({ type }) => type)).toEqual(["image_generation.completed"])
    expect(events[0]).toMatchObject({ usage: { cost: 0.04 } })
  })

  test("the worst case holds the drafts too", async () => {
    const holds: number[] = []
    for (const drafts of [0, 3]) {
      const response = await generate({ model: "openai/gpt-image-1", partial_images: drafts })
      await response.text()
      holds.push(Number((await receiptOf(response.headers)).hold))
    }
    expect((holds[1] ?? 0) - (holds[0] ?? 0)).toBeCloseTo(3 * 100 * 0.00004, 9)
  })

  test("tokens that the vendor does not tell are the most they can be", async () => {
    const response = await generate({ model: "openai/fault-no-usage", partial_images: 1 })
    expect(await response.text()).toContain('"usage":{"cost":0.')
    const { estimated, usage, hold, cost } = await receiptOf(response.headers)
    expect(estimated).toBe(true)
    expect(usage["output"]).toBeGreaterThan(4_260)
    expect(Number(cost)).toBeLessThanOrEqual(Number(hold))
  })

  test("what the rules forbid is refused, also after a draft", async () => {
    const before = await caller.balance()
    const order = { model: "openai/gpt-image-priced", prompt: "something forbidden" }
    const refused = await generate(order)
    const { error } = (await refused.json()) as ErrorBody
    expect([refused.status, error.code]).toEqual([400, "moderation_blocked"])
    expect(await caller.balance()).toBe(before)
    const { client } = caller
    const stream = await client.images.generate({ ...order, stream: true, partial_images: 1 })
    const seen: string[] = []
    const reading = (async () => {
      for await (const { type } of stream) seen.push(type)
    })()
    await expect(reading).rejects.toThrow(APIError)
    expect(seen).toEqual(["image_generation.partial_image"])
    expect(await caller.balance()).toBe(before)
  })
})

describe("a stream that breaks off", () => {
  for (const [model, outcome] of [
    ["openai/fault-cut", "upstream_error"],
    ["openai/fault-malformed", "upstream_error"],
    ["openai/fault-stream-error", "upstream_error"],
    ["openai/fault-no-finish", "upstream_error"],
  ] as const) {
    test(`${model}: an error event, and the drafts that came are paid`, async () => {
      const response = await generate({ model, partial_images: 3 })
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).not.toContain("image_generation.completed")
      expect(text).toContain('data: {"error":{"message":')
      await nothingHeld()
      const { status, estimated, usage, attempts } = await receiptOf(response.headers)
      expect([status, estimated]).toEqual(["settled", true])
      expect(attempts.at(-1)?.outcome).toBe(outcome)
      const drafts = model.endsWith("no-finish") ? 3 : 2
      expect(text.split("event: image_generation.partial_image")).toHaveLength(drafts + 1)
      const shown = (MAX_OF_IMAGE * drafts) / 4
      expect(usage).toEqual({ input: 2, output: shown + 100 * drafts })
    })
  }

  test("before its first event: nothing is charged, and the caller may try again", async () => {
    const before = await caller.balance()
    for (const model of ["openai/fault-cut", "openai/fault-no-finish"]) {
      const response = await generate({ model })
      expect([response.status, response.headers.get("x-should-retry")]).toEqual([502, "true"])
      expect((await receiptOf(response.headers)).status).toBe("released")
    }
    expect(await caller.balance()).toBe(before)
  })

  test("before its first event: the next deployment makes the picture", async () => {
    const response = await generate({ model: "openai/two" })
    expect(await response.text()).toContain("image_generation.completed")
    const { attempts } = await receiptOf(response.headers)
    expect(attempts.map(({ outcome }) => outcome)).toEqual(["upstream_error", "ok"])
  })

  test("where pictures have a price, one that never came costs nothing", async () => {
    const before = await caller.balance()
    const response = await generate({ model: "openai/priced-cut", partial_images: 3 })
    expect(await response.text()).toContain('data: {"error":{"message":')
    await nothingHeld()
    expect((await receiptOf(response.headers)).status).toBe("released")
    expect(await caller.balance()).toBe(before)
  })
})

describe("a caller who leaves", () => {
  test("before the first event pays nothing, and ends the upstream call", async () => {
    const before = await caller.balance()
    const leaving = new AbortController()
    const asked = gateway.simulator.requests.length
    const response = fetch(`${gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "openai/fault-slow-first-byte",
        prompt: "an owl",
        stream: true,
      }),
      signal: leaving.signal,
    })
    response.catch(() => {})
    await until(() => gateway.simulator.requests.length > asked)
    leaving.abort()
    await gateway.simulator.requests.at(-1)?.settled()
    expect(gateway.simulator.requests.at(-1)?.aborted).toBe(true)
    await nothingHeld()
    expect(await caller.balance()).toBe(before)
  })

  async function leave(model: string): Promise<Seen> {
    const leaving = new AbortController()
    const response = await fetch(`${gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, prompt: "an owl", stream: true, partial_images: 1 }),
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    await gateway.simulator.requests.at(-1)?.settled()
    expect(gateway.simulator.requests.at(-1)?.aborted).toBe(true)
    await nothingHeld()
    return await receiptOf(response.headers)
  }

  test("ends the upstream call, and pays for as much as a draft shows", async () => {
    const { status, estimated, usage, attempts } = await leave("openai/fault-stall")
    expect([status, estimated]).toEqual(["settled", true])
    expect(usage).toEqual({ input: 2, output: MAX_OF_IMAGE / 2 + 100 })
    expect(attempts).toMatchObject([{ outcome: "caller_left" }])
  })

  test("with a draft of a picture that has a price pays for the picture", async () => {
    const { status, usage, cost } = await leave("openai/priced-stall")
    expect([status, usage, cost]).toEqual(["settled", { image: 1 }, "0.04"])
  })
})

describe("a vendor that does not stream", () => {
  for (const model of [
    "openai/dall-e-2",
    "google/gemini-2.5-flash-image",
    "stability/core",
    "together/black-forest-labs/FLUX.1-schnell",
  ]) {
    test(`${model}: the whole picture is the one event, and said so`, async () => {
      const { data: stream, response } = await caller.client.images
        .generate({ model, prompt: "an owl", stream: true, partial_images: 2 })
        .withResponse()
      const losses = response.headers.get("x-tollgate-losses")?.split(", ")
      expect(losses).toContain("stream:emulated")
      const events = await all(stream)
      expect(events.map(({ type }) => type)).toEqual(["image_generation.completed"])
      expect(imageSize(bytesOf(events[0]))).toEqual(SQUARE)
      const { cost, status } = await receiptOf(response.headers)
      expect(status).toBe("settled")
      expect(events[0]).toMatchObject({
        size: "1024x1024",
        output_format: "png",
        background: "auto",
        quality: "auto",
        usage: { cost: Number(cost) },
      })
    })
  }

  test("several pictures are an event each, with the cost of all in the last", async () => {
    const { data: stream, response } = await caller.client.images
      .generate({ model: "openai/gpt-image-priced", prompt: "an owl", stream: true, n: 3 })
      .withResponse()
    expect(response.headers.get("x-tollgate-losses")).toBe("stream:emulated")
    const events = await all(stream)
    expect(new Set(events.map((event) => event.b64_json)).size).toBe(3)
    const last = events.at(-1)
    expect(last).toMatchObject({ quality: "high", usage: { cost: 0.12, output_tokens: 12_480 } })
    expect(events[0]).not.toHaveProperty("usage")
  })

  test("edit", async () => {
    const events = await all(
      await caller.client.images.edit({
        model: "stability/inpaint",
        image: pngFile(png(64, 64)),
        mask: pngFile(png(64, 64), "mask.png"),
        prompt: "a hat",
        stream: true,
      }),
    )
    expect(events).toMatchObject([{ type: "image_edit.completed", size: "2048x2048" }])
  })

  test("a server that answers whole all the same", async () => {
    const { data: stream, response } = await caller.client.images
      .generate({ model: "deaf/gpt-image-1", prompt: "an owl", stream: true, partial_images: 1 })
      .withResponse()
    expect(response.headers.get("x-tollgate-losses")).toBe("stream:emulated")
    expect(await all(stream)).toMatchObject([
      { type: "image_generation.completed", size: "8x8", usage: { cost: 0.04 } },
    ])
  })

  test("is not asked under x-tollgate-strict", async () => {
    const ask = () => generate({ model: "openai/dall-e-2" }, { "x-tollgate-strict": "true" })
    await expectRefusal(gateway, caller, ask, { status: 400, code: "not_carried" })
  })
})

describe("a stream that breaks a rule", () => {
  const model = "openai/gpt-image-1"
  for (const [name, body, code, param] of [
    ["four drafts", { partial_images: 4 }, "above_max_value", "partial_images"],
    ["drafts below none", { partial_images: -1 }, "below_min_value", "partial_images"],
    ["half a draft", { partial_images: 0.5 }, "invalid_type", "partial_images"],
    ["a stream in words", { stream: "yes" }, "invalid_type", "stream"],
    ["links", { response_format: "url" }, "invalid_parameter_combination", "response_format"],
  ] as const) {
    test(name, async () => {
      await expectRefusal(gateway, caller, () => generate({ model, ...body }), {
        status: 400,
        code,
        param,
      })
    })
  }

  test("a variation", async () => {
    const parts = [
      ["model", model],
      ["image", pngFile(png(64, 64))],
      ["stream", "true"],
    ] as const
    await expectRefusal(gateway, caller, () => sendForm(gateway, caller, "variations", parts), {
      status: 400,
      code: "invalid_value",
      param: "stream",
    })
  })
})

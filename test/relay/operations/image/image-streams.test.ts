import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { APIError } from "openai"
import { drawPng } from "../../../../simulator/image/draw.ts"
import { imageSize } from "../../../../src/media/image-size.ts"
import { png, pngFile } from "../../../support/png.ts"
import { type ErrorBody, expectRejection } from "./image-support.ts"
import {
  all,
  bytesOf,
  caller,
  gateway,
  generate,
  receiptOf,
  type Seen,
  setUp,
  SQUARE,
  tearDown,
} from "./image-streams-world.ts"

beforeAll(setUp)
afterAll(tearDown)

/** The tests use OpenAI's prices: text as input, images as output. */

describe("an image stream of a vendor that streams", () => {
  test("contains drafts, and then the image with its tokens and cost", async () => {
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
    expect(usage).toMatchObject({ image_output: 272 + 200, image: 1 })
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

  test("contains a draft and then the edited image if the edit was requested with form data", async () => {
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
    expect(usage).toMatchObject({ image_output: 4_260, image: 1, image_input: 194 })
    expect(gateway.simulator.requests.at(-1)?.body).toMatchObject({
      stream: "true",
      partial_images: "1",
    })
  })

  test("consists of one event if the image has no drafts", async () => {
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

  test("requires a hold that includes the drafts", async () => {
    const holds: number[] = []
    for (const drafts of [0, 3]) {
      const response = await generate({ model: "openai/gpt-image-1", partial_images: drafts })
      await response.text()
      holds.push(Number((await receiptOf(response.headers)).hold))
    }
    expect((holds[1] ?? 0) - (holds[0] ?? 0)).toBeCloseTo(3 * 100 * 0.00004, 9)
  })

  test("costs the maximum if the vendor reports no tokens", async () => {
    const response = await generate({ model: "openai/fault-no-usage", partial_images: 1 })
    expect(await response.text()).toContain('"usage":{"cost":0.')
    const { estimated, usage, hold, cost } = await receiptOf(response.headers)
    expect(estimated).toBe(true)
    expect(usage["image_output"]).toBeGreaterThan(4_260)
    expect(Number(cost)).toBeLessThanOrEqual(Number(hold))
  })

  test("returns the rejection of a moderated image, even after a draft", async () => {
    const before = await caller.balance()
    const order = { model: "openai/gpt-image-priced", prompt: "something forbidden" }
    const rejected = await generate(order)
    const { error } = (await rejected.json()) as ErrorBody
    expect([rejected.status, error.code]).toEqual([400, "moderation_blocked"])
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

describe("an image stream of a vendor that does not stream", () => {
  for (const model of [
    "openai/dall-e-2",
    "google/gemini-2.5-flash-image",
    "stability/core",
    "together/black-forest-labs/FLUX.1-schnell",
  ]) {
    test(`contains the whole image as its only event, with a reported loss: ${model}`, async () => {
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

  test("has one event for each image, and the last event has the total cost", async () => {
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

  test("contains the edited image as its only event", async () => {
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

  test("succeeds even at a server that ignores the stream option", async () => {
    const { data: stream, response } = await caller.client.images
      .generate({ model: "deaf/gpt-image-1", prompt: "an owl", stream: true, partial_images: 1 })
      .withResponse()
    expect(response.headers.get("x-tollgate-losses")).toBe("stream:emulated")
    expect(await all(stream)).toMatchObject([
      { type: "image_generation.completed", size: "8x8", usage: { cost: 0.04 } },
    ])
  })

  test("fails for a strict caller before any call", async () => {
    const ask = () => generate({ model: "openai/dall-e-2" }, { "x-tollgate-strict": "true" })
    await expectRejection(gateway, caller, ask, { status: 400, code: "not_carried" })
  })
})

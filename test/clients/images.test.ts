import { createOpenAI } from "@ai-sdk/openai"
import { generateImage } from "ai"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ImagesResponse } from "openai/resources/images"
import { imageSize } from "../../src/media/image-size.ts"
import { readPng } from "../../src/media/png.ts"
import { type ModelSettings } from "../../src/config/settings.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { png, pngFile } from "../support/png.ts"
import { editorOf } from "./base64-edits.ts"

let gateway: TestGateway
let caller: TestCaller

/** A million images cost this many credits, so each image costs 0.04. */
const PER_IMAGE = { image: "40000" } as const

function image(settings: Partial<ModelSettings> = {}): ModelSettings {
  return { kind: "image", price: PER_IMAGE, ...settings }
}

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({ google: { ...provider(url, "google") } }),
    models: {
      "sim/gpt-image-1": image({ price: { input: "5", output: "40" } }),
      "sim/dall-e-2": image(),
      "sim/dall-e-3": image(),
      "google/gemini-2.5-flash-image": image(),
    },
    settings: {
      limits: {
        bodyBytes: 1 << 22,
        mediaBytes: 1 << 22,
        responseBytes: 1 << 26,
        mediaPrivate: true,
      },
    },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

function bytesOf(answer: ImagesResponse, index = 0): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(answer.data?.[index]?.b64_json ?? "", "base64"))
}

async function fetched(answer: ImagesResponse, index = 0): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(answer.data?.[index]?.url ?? "")
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("image/png")
  return new Uint8Array(await response.arrayBuffer())
}

const SQUARE = { width: 1024, height: 1024 }

describe("OpenAI's client for images", () => {
  test("generates links by default, even if the vendor returns base64 only", async () => {
    const answer = await caller.client.images.generate({
      model: "sim/gpt-image-1",
      prompt: "a red barn",
    })
    expect(answer.data).toHaveLength(1)
    expect(answer.data?.[0]?.b64_json).toBeUndefined()
    expect(answer.data?.[0]?.url).toStartWith(`${gateway.url}/v1/images/files/`)
    expect(imageSize(await fetched(answer))).toEqual(SQUARE)
    expect(answer.usage).toMatchObject({ output_tokens: 4160 })
    expect(answer.created).toBeGreaterThan(1_700_000_000)
  })

  test("generates base64, even if the vendor returns links only", async () => {
    const answer = await caller.client.images.generate({
      model: "sim/dall-e-2",
      prompt: "a red barn",
      n: 3,
      size: "256x256",
      response_format: "b64_json",
    })
    expect(answer.data).toHaveLength(3)
    expect(imageSize(bytesOf(answer, 2))).toEqual({ width: 256, height: 256 })
    expect(readPng(bytesOf(answer))).toBeObject()
  })

  test("gets one response for several upstream calls, with rewritten prompts", async () => {
    const before = gateway.simulator.requests.length
    const answer = await caller.client.images.generate({
      model: "sim/dall-e-3",
      prompt: "an owl",
      n: 3,
      size: "1792x1024",
    })
    expect(gateway.simulator.requests.length - before).toBe(3)
    expect(answer.data?.map(({ revised_prompt }) => revised_prompt)).toEqual([
      "An image of an owl",
      "An image of an owl",
      "An image of an owl",
    ])
    expect(imageSize(await fetched(answer, 2))).toEqual({ width: 1792, height: 1024 })
  })

  test("edits an image", async () => {
    const before = await caller.balance()
    const { data: answer, response } = await caller.client.images
      .edit({
        model: "sim/dall-e-2",
        image: pngFile(png(512, 512)),
        mask: pngFile(png(512, 512), "mask.png"),
        prompt: "a hat",
        size: "512x512",
        n: 2,
      })
      .withResponse()
    expect(answer.data).toHaveLength(2)
    expect(imageSize(await fetched(answer))).toEqual({ width: 512, height: 512 })
    expect(response.headers.get("x-tollgate-cost")).toBe("0.08")
    expect(before - (await caller.balance())).toBe(80_000_000n)
    expect(gateway.simulator.requests.findLast(({ method }) => method === "POST")?.body).toEqual({
      model: "dall-e-2",
      prompt: "a hat",
      size: "512x512",
      response_format: "url",
      n: "2",
      image: { name: "image-0.png", type: "image/png", size: png(512, 512).byteLength },
      mask: { name: "mask.png", type: "image/png", size: png(512, 512).byteLength },
    })
  })

  test("edits several images with a GPT image model", async () => {
    const answer = await caller.client.images.edit({
      model: "sim/gpt-image-1",
      image: [pngFile(png(1024, 1024)), pngFile(png(1024, 1024, { colour: 2 }), "b.png")],
      mask: pngFile(png(1024, 1024), "mask.png"),
      prompt: "put them together",
      response_format: "b64_json",
    })
    expect(imageSize(bytesOf(answer))).toEqual(SQUARE)
    expect(answer.usage?.input_tokens).toBeGreaterThan(2 * 194)
  })

  test("creates variations with a model that supports them", async () => {
    const { data: answer, response } = await caller.client.images
      .createVariation({ model: "sim/dall-e-2", image: pngFile(png(64, 64)), size: "256x256" })
      .withResponse()
    expect(imageSize(await fetched(answer))).toEqual({ width: 256, height: 256 })
    expect(response.headers.get("x-tollgate-losses")).toBeNull()
  })

  test("creates variations as edits with another model", async () => {
    const { data: answer, response } = await caller.client.images
      .createVariation({
        model: "sim/gpt-image-1",
        image: pngFile(png(64, 64)),
        n: 2,
        response_format: "b64_json",
      })
      .withResponse()
    expect(answer.data).toHaveLength(2)
    expect(response.headers.get("x-tollgate-losses")).toBe("variations:emulated")
    const sent = gateway.simulator.requests.at(-1)
    expect(sent?.path).toBe("/v1/images/edits")
    expect(sent?.body).toMatchObject({ prompt: expect.stringContaining("variation") })
  })

  test("uses by default the first model that the key can access", async () => {
    const answer = await caller.client.images.generate({ prompt: "a lake" })
    expect(gateway.simulator.requests.at(-1)?.path).toEndWith(
      "gemini-2.5-flash-image:generateContent",
    )
    expect(imageSize(await fetched(answer))).toEqual(SQUARE)
  })
})

describe("the AI SDK for images", () => {
  function models() {
    return createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })
  }

  test("generates images", async () => {
    const { image, images } = await generateImage({
      model: models().image("sim/gpt-image-1"),
      prompt: "a red barn",
      size: "1536x1024",
      n: 2,
    })
    expect(images.length).toBe(2)
    expect(imageSize(image.uint8Array)).toEqual({ width: 1536, height: 1024 })
  })

  test("generates an image from an image and a mask", async () => {
    const openai = editorOf(gateway, caller)
    const { image } = await generateImage({
      model: openai.image("sim/dall-e-2"),
      prompt: { text: "a hat", images: [png(256, 256)], mask: png(256, 256) },
      size: "256x256",
    })
    expect(imageSize(image.uint8Array)).toEqual({ width: 256, height: 256 })
  })
})

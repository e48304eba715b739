import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { type Simulator, startSimulator } from "../../simulator/server.ts"
import { packPng } from "../support/packed-png.ts"
import { png, pngFile } from "../support/png.ts"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(async () => {
  await simulator.stop()
})

const SIDE = 64
const IMAGE = png(SIDE, SIDE, { colour: 2 })
const TRANSPARENT = png(SIDE, SIDE)

/** Returns a mask with a single shade. */
function shade(value: number): Uint8Array<ArrayBuffer> {
  return packPng({ width: SIDE, height: SIDE, colour: 0, depth: 8, pixel: () => [value] })
}

interface Told {
  readonly status: number
  readonly text: string
}

async function told(response: Response): Promise<Told> {
  return { status: response.status, text: await response.text() }
}

async function stability(path: string, parts: Readonly<Record<string, string | File>>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.append(name, value)
  const headers = { authorization: "Bearer any" }
  const url = `${simulator.url}/v2beta/stable-image/${path}`
  return await told(await fetch(url, { method: "POST", headers, body: form }))
}

async function bedrock(model: string, body: object): Promise<Told> {
  const url = `${simulator.url}/model/${encodeURIComponent(model)}/invoke`
  const headers = { authorization: "Bearer any", "content-type": "application/json" }
  return await told(await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }))
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64")
}

describe("the Stability simulator", () => {
  const image = pngFile(IMAGE)

  test("edits images with a gray mask, and returns a different image for each mask", async () => {
    const order = { prompt: "a hat", image }
    const some = await stability("edit/inpaint", { ...order, mask: pngFile(shade(255)) })
    const less = await stability("edit/inpaint", { ...order, mask: pngFile(shade(100)) })
    expect([some.status, less.status]).toEqual([200, 200])
    expect(some.text).not.toBe(less.text)
  })

  for (const [name, path, parts, words] of [
    ["OpenAI's mask", "edit/inpaint", { mask: pngFile(TRANSPARENT), image }, "black and white"],
    ["no mask", "edit/inpaint", { image }, "mask: could not be read"],
    ["no image", "edit/inpaint", { mask: pngFile(shade(0)) }, "image: is required"],
    [
      "a model where it is not accepted",
      "edit/inpaint",
      { model: "core", image },
      "model: not expected",
    ],
    [
      "an image for a model that only generates",
      "generate/core",
      { image, strength: "0.5" },
      "image: not expected",
    ],
    ["no strength", "generate/ultra", { image }, "strength: is required"],
    ["no mode", "generate/sd3", { model: "sd3.5-large", image, strength: "0.5" }, "mode: must be"],
    [
      "an aspect ratio for an edit",
      "generate/sd3",
      { model: "sd3", mode: "image-to-image", image, strength: "0.5", aspect_ratio: "1:1" },
      "aspect_ratio: is only valid",
    ],
  ] as const) {
    test(`rejects a request with ${name}`, async () => {
      const rejected = await stability(path, { prompt: "a hat", ...parts })
      expect(rejected.status).toBe(400)
      expect(rejected.text).toContain(words)
    })
  }
})

describe("the Bedrock image simulator", () => {
  const canvas = "amazon.nova-canvas-v1:0"
  const inpaint = (image: Uint8Array, mask: Uint8Array) => ({
    taskType: "INPAINTING",
    inPaintingParams: { text: "a hat", image: base64(image), maskImage: base64(mask) },
  })

  test("accepts a mask of pure black and white for Nova Canvas", async () => {
    expect((await bedrock(canvas, inpaint(IMAGE, shade(0)))).status).toBe(200)
  })

  for (const [name, model, body, words] of [
    ["OpenAI's mask", canvas, inpaint(IMAGE, TRANSPARENT), "neither pure black nor pure white"],
    ["a gray mask", canvas, inpaint(IMAGE, shade(7)), "neither pure black nor pure white"],
    ["a transparent image", canvas, inpaint(TRANSPARENT, shade(0)), "transparent"],
    [
      "a mask of another size",
      canvas,
      inpaint(png(32, 32, { colour: 2 }), shade(0)),
      "of the same size",
    ],
    ["no task", canvas, { textToImageParams: { text: "a hat" } }, "#/taskType"],
    [
      "OpenAI's mask for Stability's service",
      "stability.stable-image-inpaint-v1:0",
      { prompt: "a hat", image: base64(IMAGE), mask: base64(TRANSPARENT) },
      "#/mask",
    ],
    [
      "an image for Stable Image Core",
      "stability.stable-image-core-v1:1",
      { prompt: "a hat", mode: "image-to-image", image: base64(IMAGE), strength: 0.5 },
      "#/mode",
    ],
    [
      "an image without a strength",
      "stability.sd3-5-large-v1:0",
      { prompt: "a hat", mode: "image-to-image", image: base64(IMAGE) },
      "#/strength",
    ],
  ] as const) {
    test(`rejects a request with ${name}`, async () => {
      const rejected = await bedrock(model, body)
      expect(rejected.status).toBe(400)
      expect(rejected.text).toContain(words)
    })
  }
})

describe("the OpenAI image stream simulator", () => {
  async function ask(body: object): Promise<Told> {
    const url = `${simulator.url}/v1/images/generations`
    const headers = { authorization: "Bearer any", "content-type": "application/json" }
    const order = { model: "gpt-image-1", prompt: "a hat", stream: true, ...body }
    return await told(await fetch(url, { method: "POST", headers, body: JSON.stringify(order) }))
  }

  test("streams drafts and the final image", async () => {
    const { text } = await ask({ partial_images: 2 })
    expect(text.match(/^event: .*$/gm)).toEqual([
      "event: image_generation.partial_image",
      "event: image_generation.partial_image",
      "event: image_generation.completed",
    ])
  })

  test("rejects a stream for several images, for too many drafts, and for dall-e models", async () => {
    for (const body of [{ n: 2 }, { partial_images: 4 }, { model: "dall-e-2" }]) {
      expect((await ask(body)).status).toBe(400)
    }
  })
})

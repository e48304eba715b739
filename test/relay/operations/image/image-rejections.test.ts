import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { png, pngFile } from "../../../support/png.ts"
import { MEGABYTE, type Parts, imageCalls } from "./image-support.ts"

const calls = imageCalls()
const { generate, send, rejected } = calls

const MODEL = ["model", "sim/dall-e-2"] as const
const PROMPT = ["prompt", "a hat"] as const
const IMAGE = ["image", pngFile(png(512, 512))] as const
const MASK = ["mask", pngFile(png(512, 512))] as const
const EDIT = [MODEL, PROMPT, IMAGE, MASK] as const
const TOO_LARGE = pngFile(png(512, 512, { bytes: 4 * MEGABYTE + 1 }))

describe("image upload validation", () => {
  const cases: readonly (readonly [
    name: string,
    path: "edits" | "variations",
    parts: Parts,
    code: string,
    param: string,
  ])[] = [
    [
      "an image of 4 MB and a byte",
      "edits",
      [MODEL, PROMPT, ["image", TOO_LARGE], MASK],
      "file_too_large",
      "image",
    ],
    [
      "a mask of 4 MB and a byte",
      "edits",
      [MODEL, PROMPT, IMAGE, ["mask", TOO_LARGE]],
      "file_too_large",
      "mask",
    ],
    [
      "a variation of 4 MB and a byte",
      "variations",
      [MODEL, ["image", TOO_LARGE]],
      "file_too_large",
      "image",
    ],
    [
      "a JPEG named .png",
      "edits",
      [
        MODEL,
        PROMPT,
        ["image", pngFile(new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46]))],
        MASK,
      ],
      "invalid_image",
      "image",
    ],
    [
      "an image of 512x511",
      "edits",
      [MODEL, PROMPT, ["image", pngFile(png(512, 511))], MASK],
      "invalid_image",
      "image",
    ],
    [
      "a variation of 512x511",
      "variations",
      [MODEL, ["image", pngFile(png(512, 511))]],
      "invalid_image",
      "image",
    ],
    [
      "a mask without alpha",
      "edits",
      [MODEL, PROMPT, IMAGE, ["mask", pngFile(png(512, 512, { colour: 2 }))]],
      "invalid_image",
      "mask",
    ],
    [
      "a mask of another size",
      "edits",
      [MODEL, PROMPT, IMAGE, ["mask", pngFile(png(256, 256))]],
      "invalid_image",
      "mask",
    ],
    ["a size that differs", "edits", [...EDIT, ["size", "256x256"]], "invalid_image", "size"],
    [
      "a truncated PNG",
      "variations",
      [MODEL, ["image", pngFile(png(512, 512).slice(0, 60))]],
      "invalid_image",
      "image",
    ],
    ["no image", "edits", [MODEL, PROMPT, MASK], "missing_required_parameter", "image"],
    ["no mask", "edits", [MODEL, PROMPT, IMAGE], "missing_required_parameter", "mask"],
    ["no image to vary", "variations", [MODEL], "missing_required_parameter", "image"],
    ["two images to vary", "variations", [MODEL, IMAGE, IMAGE], "invalid_value", "image"],
    ["two masks", "edits", [...EDIT, MASK], "invalid_value", "mask"],
    [
      "two images for a model that accepts one",
      "edits",
      [MODEL, PROMPT, IMAGE, IMAGE, MASK],
      "invalid_value",
      "image",
    ],
    [
      "five images",
      "edits",
      [MODEL, PROMPT, IMAGE, IMAGE, IMAGE, IMAGE, IMAGE, MASK],
      "invalid_value",
      "image",
    ],
    [
      "an image sent as text",
      "edits",
      [MODEL, PROMPT, ["image", "512x512"], MASK],
      "invalid_value",
      "image",
    ],
    ["a mask of a variation", "variations", [MODEL, IMAGE, MASK], "invalid_value", "mask"],
    ["no prompt", "edits", [MODEL, IMAGE, MASK], "missing_required_parameter", "prompt"],
    ["n of 0", "edits", [...EDIT, ["n", "0"]], "below_min_value", "n"],
    ["n of 11", "variations", [MODEL, IMAGE, ["n", "11"]], "above_max_value", "n"],
    ["n other than a number", "variations", [MODEL, IMAGE, ["n", "two"]], "invalid_type", "n"],
    [
      "a size that variations do not have",
      "variations",
      [MODEL, IMAGE, ["size", "64x64"]],
      "invalid_value",
      "size",
    ],
    [
      "an unknown response format",
      "variations",
      [MODEL, IMAGE, ["response_format", "png"]],
      "invalid_value",
      "response_format",
    ],
    [
      "a model that cannot edit",
      "edits",
      [["model", "sim/dall-e-3"], PROMPT, IMAGE, MASK],
      "model_not_supported",
      "model",
    ],
    [
      "a vendor that cannot edit",
      "edits",
      [["model", "stability/core"], PROMPT, IMAGE, MASK],
      "model_not_supported",
      "model",
    ],
    [
      "a model for chat",
      "variations",
      [["model", "sim/echo"], IMAGE],
      "model_not_supported",
      "model",
    ],
  ]
  for (const [name, path, parts, code, param] of cases) {
    test(`rejects a request with ${name}`, async () => {
      const status = code === "file_too_large" ? 413 : 400
      await rejected(() => send(path, parts), { status, code, param })
    })
  }

  test("accepts an image and a mask of exactly 4 MB", async () => {
    const largest = pngFile(png(512, 512, { bytes: 4 * MEGABYTE }))
    expect(largest.size).toBe(4 * MEGABYTE)
    const response = await send("edits", [MODEL, PROMPT, ["image", largest], ["mask", largest]])
    expect(response.status).toBe(200)
    const uploads = join(calls.gateway.settings.data, "uploads")
    expect(existsSync(uploads) ? readdirSync(uploads) : []).toEqual([])
  })

  test("rejects JSON where a form is required", async () => {
    await rejected(
      () =>
        calls.caller.post("/v1/images/edits", {
          images: [{ image_url: "data:" }],
          prompt: "a hat",
        }),
      { status: 415, code: "unsupported_media_type" },
    )
  })
})

describe("image generation validation", () => {
  const cases: readonly (readonly [name: string, body: object, code: string, param: string])[] = [
    ["no prompt", { model: "sim/dall-e-2" }, "missing_required_parameter", "prompt"],
    ["an empty prompt", { prompt: "" }, "missing_required_parameter", "prompt"],
    ["a prompt of tokens", { prompt: [1, 2] }, "invalid_type", "prompt"],
    ["n of 0", { prompt: "a", n: 0 }, "below_min_value", "n"],
    ["n of 11", { prompt: "a", n: 11 }, "above_max_value", "n"],
    ["n as a fraction", { prompt: "a", n: 1.5 }, "invalid_type", "n"],
    ["a size as text", { prompt: "a", size: "large" }, "invalid_value", "size"],
    ["an empty size", { prompt: "a", size: "" }, "invalid_value", "size"],
    ["a size of zero", { prompt: "a", size: "0x512" }, "invalid_value", "size"],
    ["a huge size", { prompt: "a", size: "9000x9000" }, "invalid_value", "size"],
    [
      "an unknown response format",
      { prompt: "a", response_format: "png" },
      "invalid_value",
      "response_format",
    ],
  ]
  for (const [name, body, code, param] of cases) {
    test(`rejects a request with ${name}`, async () => {
      await rejected(() => generate(body), { status: 400, code, param })
    })
  }

  test("rejects unknown models, unpriced models and models of other kinds", async () => {
    const prompt = "a hat"
    await rejected(() => generate({ prompt, model: "sim/nothing" }), {
      status: 404,
      code: "model_not_found",
      param: "model",
    })
    await rejected(() => generate({ prompt, model: "sim/echo" }), {
      status: 400,
      code: "model_not_supported",
      param: "model",
    })
  })
})

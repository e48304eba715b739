import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ImagesResponse } from "openai/resources/images"
import { drawPng } from "../../../../simulator/image/draw.ts"
import { packPng } from "../../../support/packed-png.ts"
import type { TestCaller, TestGateway } from "../../../support/gateway.ts"
import { header, chunk, png, pngFile } from "../../../support/png.ts"
import { type ErrorBody, expectRejection, sendForm, startImageGateway } from "./image-support.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startImageGateway()
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const SIDE = 64
const IMAGE = png(SIDE, SIDE, { colour: 2 })

/** A mask in which the left quarter may change completely, and the next quarter by half. */
const MASK = packPng({
  width: SIDE,
  height: SIDE,
  colour: 6,
  depth: 8,
  filterOf: (row) => row % 5,
  pixel: (x) => [10, 20, 30, [0, 128, 255, 255][Math.floor((4 * x) / SIDE)] ?? 255],
})

/** The part of the image that may change, in pixels, as the simulated vendors report it. */
const QUARTER = SIDE * (SIDE / 4)
const CHANGED = { white: QUARTER * 255 + QUARTER * 127, black: QUARTER * 255 }

function seed(changed: number): string {
  return `a hat ${Bun.hash(IMAGE).toString(16)} ${changed}`
}

function bytesOf({ data }: ImagesResponse, index = 0): Buffer {
  return Buffer.from(data?.[index]?.b64_json ?? "", "base64")
}

function edit(model: string, count = 1, quality?: "high") {
  return caller.client.images
    .edit({
      model,
      image: pngFile(IMAGE),
      mask: pngFile(MASK, "mask.png"),
      prompt: "a hat",
      n: count,
      response_format: "b64_json",
      ...(quality && { quality }),
    })
    .withResponse()
}

describe("image edits with black and white masks", () => {
  for (const model of ["stability/inpaint", "bedrock/stability.stable-image-inpaint-v1:0"]) {
    test(`change the white area, and return an image of four megapixels: ${model}`, async () => {
      const { data, response } = await edit(model, 2)
      const drawn = drawPng(seed(CHANGED.white), { width: 2048, height: 2048 })
      expect(data.data).toHaveLength(2)
      expect(bytesOf(data, 1).equals(drawn)).toBe(true)
      expect(response.headers.get("x-tollgate-losses")).toBe("size:approximated")
      expect(response.headers.get("x-tollgate-cost")).toBe("0.08")
    })
  }

  test("change the pure black area of a mask with the image's size at Nova Canvas", async () => {
    const { data, response } = await edit("bedrock/amazon.nova-canvas-v1:0", 6, "high")
    expect(data.data).toHaveLength(6)
    const size = { width: SIDE, height: SIDE }
    expect(bytesOf(data, 5).equals(drawPng(`${seed(CHANGED.black)} 0`, size))).toBe(true)
    expect(response.headers.get("x-tollgate-losses")).toBeNull()
    const { body } = gateway.simulator.requests.findLast(({ method }) => method === "POST") ?? {}
    expect(body).toMatchObject({
      taskType: "INPAINTING",
      inPaintingParams: { text: "a hat", image: Buffer.from(IMAGE).toString("base64") },
      imageGenerationConfig: { numberOfImages: 1, width: 64, height: 64, quality: "premium" },
    })
  })

  test("return the vendor's own error for unsupported input, free of charge", async () => {
    const before = await caller.balance()
    const model = ["model", "bedrock/amazon.nova-canvas-v1:0"] as const
    const parts = [model, ["prompt", "a hat"], ["image", pngFile(png(SIDE, SIDE))]] as const
    const response = await sendForm(gateway, caller, "edits", [...parts, ["mask", pngFile(MASK)]])
    const { error } = (await response.json()) as ErrorBody
    expect([response.status, error.message]).toEqual([
      400,
      "The image has transparent or translucent pixels, which are not supported.",
    ])
    expect(await caller.balance()).toBe(before)
  })

  test("use the deployment for edits if the model has a separate deployment for generations", async () => {
    const { client } = caller
    for (let round = 0; round < 4; round++) {
      const edited = await edit("stability/pictures")
      expect(edited.response.headers.get("x-tollgate-cost")).toBe("0.05")
      const made = await client.images
        .generate({ model: "stability/pictures", prompt: "a hat" })
        .withResponse()
      expect(made.response.headers.get("x-tollgate-cost")).toBe("0.04")
    }
  })
})

describe("image variations by models that require an image", () => {
  for (const model of [
    "stability/ultra",
    "stability/sd3.5-large",
    "bedrock/stability.sd3-5-large-v1:0",
  ]) {
    test(`work with ${model}`, async () => {
      const vary = (image: Uint8Array<ArrayBuffer>) =>
        caller.client.images
          .createVariation({ model, image: pngFile(image), response_format: "b64_json" })
          .withResponse()
      const { data, response } = await vary(IMAGE)
      expect(response.headers.get("x-tollgate-losses")).toBe("variations:emulated")
      const other = await vary(png(SIDE, SIDE, { colour: 0 }))
      expect(bytesOf(data).equals(bytesOf(other.data))).toBe(false)
    })
  }

  test("fail for a strict caller if the vendor only approximates them", async () => {
    const ask = () =>
      fetch(`${gateway.url}/v1/images/variations`, {
        method: "POST",
        headers: { authorization: `Bearer ${caller.key}`, "x-tollgate-strict": "true" },
        body: formOf([
          ["model", "stability/ultra"],
          ["image", pngFile(IMAGE)],
        ]),
      })
    await expectRejection(gateway, caller, ask, { status: 400, code: "not_carried" })
  })
})

function formOf(parts: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}

describe("unsupported edits and variations", () => {
  const image = ["image", pngFile(IMAGE)] as const
  const mask = ["mask", pngFile(MASK)] as const
  const prompt = ["prompt", "a hat"] as const
  const broken = new Uint8Array(
    Buffer.concat([
      Buffer.from(MASK.subarray(0, 8)),
      header(SIDE, SIDE, 6),
      chunk("IDAT", Buffer.from("nothing packed")),
      chunk("IEND", Buffer.alloc(0)),
    ]),
  )
  const unsupported = { status: 400, code: "model_not_supported", param: "model" }
  for (const [name, path, model, parts, wanted] of [
    ["a model that only generates images", "edits", "stability/ultra", [prompt, image, mask]],
    ["a model without image input", "variations", "stability/core", [image]],
    ["a service that only edits", "variations", "stability/inpaint", [image]],
    [
      "Stability's on Bedrock",
      "edits",
      "bedrock/stability.sd3-5-large-v1:0",
      [prompt, image, mask],
    ],
    [
      "Stability's editing service on Bedrock",
      "variations",
      "bedrock/stability.stable-image-inpaint-v1:0",
      [image],
    ],
    [
      "two images",
      "edits",
      "stability/inpaint",
      [prompt, image, image, mask],
      { status: 400, code: "invalid_value", param: "image" },
    ],
    [
      "two images for Nova Canvas",
      "edits",
      "bedrock/amazon.nova-canvas-v1:0",
      [prompt, image, image, mask],
      { status: 400, code: "invalid_value", param: "image" },
    ],
    [
      "a mask with damaged pixels",
      "edits",
      "stability/inpaint",
      [prompt, image, ["mask", pngFile(broken)] as const],
      { status: 400, code: "invalid_image", param: "mask" },
    ],
  ] as const) {
    test(`cause an error: ${name}`, async () => {
      const ask = () => sendForm(gateway, caller, path, [["model", model], ...parts])
      await expectRejection(gateway, caller, ask, wanted ?? unsupported)
    })
  }

  test("cause an error for a generation by a model that only edits", async () => {
    for (const model of ["stability/inpaint", "bedrock/stability.stable-image-inpaint-v1:0"]) {
      const ask = () => caller.post("/v1/images/generations", { model, prompt: "a hat" })
      await expectRejection(gateway, caller, ask, unsupported)
    }
  })
})

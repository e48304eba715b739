import { generateImage } from "ai"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import OpenAI from "openai"
import type { ModelSettings } from "../../src/config/settings.ts"
import { asked, startManaged } from "../http/admin/support.ts"
import { provider, type TestCaller, type TestGateway } from "../support/gateway.ts"
import { png, pngFile } from "../support/png.ts"
import { editorOf } from "./base64-edits.ts"

let gateway: TestGateway
let caller: TestCaller

const IMAGE: ModelSettings = { kind: "image", price: { image: "40000" } }

beforeAll(async () => {
  gateway = await startManaged({
    providersAt: (url) => ({
      google: provider(url, "google"),
      stability: provider(url, "stability"),
      bedrock: { ...provider(url, "bedrock"), apiKey: "bedrock", region: "us-east-1" },
    }),
    models: {
      "sim/gpt-image-1": IMAGE,
      "google/gemini-2.5-flash-image": IMAGE,
      "stability/inpaint": IMAGE,
      "bedrock/amazon.nova-canvas-v1:0": IMAGE,
    },
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

function edit(model: string): Promise<OpenAI.ImagesResponse> {
  return caller.client.images.edit({
    model,
    image: pngFile(png(512, 512)),
    prompt: "a hat",
    response_format: "b64_json",
  })
}

async function refusal(model: string): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await edit(model).catch((thrown: unknown) => thrown)
  if (error instanceof OpenAI.APIError) return error
  throw new Error("it was served")
}

function estimated(): Promise<Response> {
  const body = { model: "sim/gpt-image-1", prompt: "a hat", image: { width: 512 } }
  return caller.post("/v1/estimate", { path: "/v1/images/edits", body })
}

async function rule(value: string | null): Promise<void> {
  await asked(gateway, "PATCH", "/settings", { "images.mask": value })
}

describe("image edits without a mask", () => {
  test("fail unless the operator allows them, and fail again when the permission is revoked", async () => {
    for (const value of ["optional", "required", "optional", null]) {
      await rule(value)
      if (value === "optional") {
        expect((await edit("sim/gpt-image-1")).data).toHaveLength(1)
        expect((await estimated()).status).toBe(200)
        continue
      }
      expect(await refusal("sim/gpt-image-1")).toMatchObject({
        status: 400,
        code: "missing_required_parameter",
        param: "mask",
      })
      expect((await estimated()).status).toBe(400)
    }
  })

  test("succeed if the vendor supports them, and otherwise fail free of charge", async () => {
    await rule("optional")
    const served = await edit("google/gemini-2.5-flash-image")
    expect(served.data?.[0]?.b64_json).toBeString()
    const before = await caller.balance()
    for (const model of ["stability/inpaint", "bedrock/amazon.nova-canvas-v1:0"]) {
      const error = await refusal(model)
      expect(error).toMatchObject({
        status: 400,
        code: "missing_required_parameter",
        param: "mask",
      })
      expect(error.message).toContain("use another model")
    }
    expect(await caller.balance()).toBe(before)
  })

  test("can be requested with the AI SDK if the vendor supports them", async () => {
    await rule("optional")
    const openai = editorOf(gateway, caller)
    const { image } = await generateImage({
      model: openai.image("sim/gpt-image-1"),
      prompt: { text: "a hat", images: [png(512, 512)] },
    })
    expect(image.uint8Array.byteLength).toBeGreaterThan(0)
  })
})

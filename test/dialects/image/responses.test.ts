import { describe, expect, test } from "bun:test"
import type { JsonObject } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { png } from "../../support/png.ts"
import { responseOf, imagesOf, requestOf } from "./support.ts"

const BASE64 = Buffer.from(png(8, 8)).toString("base64")

async function decoded(...bodies: JsonObject[]) {
  return await imagesOf("google").decode(bodies.map(responseOf), requestOf())
}

const drawn = (parts: JsonObject[], usageMetadata?: JsonObject) => ({
  candidates: [{ content: { parts } }],
  ...(usageMetadata && { usageMetadata }),
})

describe("the Gemini image decoder", () => {
  test("joins the images of all calls, omits drafts in thoughts, and adds up the usage", async () => {
    const image = { inlineData: { mimeType: "image/png", data: BASE64 } }
    const counted = { promptTokenCount: 10, candidatesTokenCount: 100 }
    const { images, usage } = await decoded(
      drawn([{ text: "Here it is." }, { ...image, thought: true }, image], {
        ...counted,
        thoughtsTokenCount: 7,
        cachedContentTokenCount: 4,
      }),
      drawn([image], counted),
    )
    expect(images).toHaveLength(2)
    expect(usage).toEqual({
      ...NO_USAGE,
      inputFresh: 16,
      inputCacheRead: 4,
      output: 7,
      reasoning: 7,
      imageOutput: 200,
    })
  })

  test("returns no usage if one call reports no usage", async () => {
    const image = { inlineData: { data: BASE64 } }
    const counted = { promptTokenCount: 10, candidatesTokenCount: 100 }
    const { usage } = await decoded(drawn([image], counted), drawn([image]))
    expect(usage).toBeUndefined()
  })

  test.each<[JsonObject, string]>([
    [{ candidates: [{ finishMessage: "Unsafe scene", finishReason: "SAFETY" }] }, "Unsafe scene"],
    [{ promptFeedback: { blockReasonMessage: "Blocked words" } }, "Blocked words"],
    [{ promptFeedback: { blockReason: "OTHER" } }, "OTHER"],
    [drawn([{ text: "I do not draw that." }]), "I do not draw that."],
    [{ candidates: [{ finishReason: "IMAGE_SAFETY" }] }, "IMAGE_SAFETY"],
    [{ predictions: [{ raiFilteredReason: "Filtered" }] }, "Filtered"],
  ])("rejects a response without images and gives the reason: %j", async (body, words) => {
    await expect(decoded(body)).rejects.toThrow(words)
  })
})

test("the Imagen decoder returns prompts that Imagen has rewritten", async () => {
  const { images, usage } = await decoded({
    predictions: [
      { bytesBase64Encoded: BASE64, prompt: "A boat at sea" },
      { bytesBase64Encoded: BASE64 },
      { mimeType: "image/png" },
    ],
  })
  expect(images.map(({ revisedPrompt }) => revisedPrompt)).toEqual(["A boat at sea", undefined])
  expect(usage).toBeUndefined()
})

import { describe, expect, test } from "bun:test"
import { totalInput } from "../../../src/canon/usage.ts"
import { decodeImageParameters } from "../../../src/dialects/image/request.ts"
import { recordedAt, type RecordedOperation } from "../../support/recorded-operations.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../../support/recordings.ts"
import { responseOf, asked, imagesOf, requestOf } from "./support.ts"

const IMAGES = /\/images(\/generations|\/edits|\/variations)?$|-image:generateContent$/

const VENDORS: readonly (readonly [RegExp, string])[] = [
  [/api\.openai\.com/, "openai"],
  [/api\.x\.ai/, "xai"],
  [/openrouter\.ai/, "openrouter"],
  [/generativelanguage/, "google"],
  [/aiplatform/, "vertex"],
]

function vendorOf({ url }: RecordedOperation): string {
  return VENDORS.find(([host]) => host.test(url))?.[1] ?? "openai-compatible"
}

const RECORDINGS = recordedAt(IMAGES)

/** Returns the number of images in a response of any vendor. */
function imagesIn(body: unknown): number {
  const text = JSON.stringify(body)
  return (text.match(/"b64_json":|"url":|"inlineData":/g) ?? []).length
}

describe(`recorded image responses${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)("exist for all vendors", () => {
    expect(RECORDINGS.length).toBeGreaterThanOrEqual(13)
    expect(new Set(RECORDINGS.map(vendorOf))).toEqual(
      new Set(["openai", "xai", "openrouter", "google", "vertex"]),
    )
  })

  for (const recording of RECORDINGS) {
    const { id, status, body, response } = recording
    const format = imagesOf(vendorOf(recording))
    if (status !== 200) {
      test(`decode to a rejected request: ${id}`, () => {
        const error = format.decodeError(status, body, response.headers)
        expect(error.kind).toBe("rejected_by_upstream")
        expect(JSON.stringify(body)).toContain(error.message)
      })
      continue
    }
    test(`decode to all images and their usage: ${id}`, async () => {
      const { images, usage } = await format.decode([response], requestOf())
      expect(images).toHaveLength(imagesIn(body))
      expect(images.length).toBeGreaterThan(0)
      const told = /"(?:input_tokens|prompt_tokens|promptTokenCount)":(\d+)/.exec(
        JSON.stringify(body),
      )?.[1]
      expect(usage && totalInput(usage)).toBe(told === undefined ? undefined : Number(told))
    })
  }

  test.skipIf(!HAS_FIXTURES)("belong to requests that the encoder reproduces", async () => {
    const generations = RECORDINGS.filter(
      ({ url, status }) => status === 200 && url.endsWith("openai.com/v1/images/generations"),
    )
    expect(generations.length).toBeGreaterThanOrEqual(3)
    for (const { request } of generations) {
      const { model = "", ...parameters } = decodeImageParameters("generation", request)
      const { bodies, losses } = await asked("openai", model, { ...parameters, images: [] })
      const { quality, ...rest } = request
      // The oldest model has only one quality.
      const isDropped = request["model"] === "dall-e-2" && quality !== undefined
      expect(bodies[0]).toMatchObject(isDropped ? rest : request)
      expect(losses).toEqual(isDropped ? ["quality:dropped"] : [])
    }
  })

  test.skipIf(!HAS_FIXTURES)(
    "include edits of the AI SDK and an error for response_format",
    async () => {
      const edit: unknown = JSON.parse(readFixture("vercel-ai/openai/image/openai-image-edit.json"))
      const result = await imagesOf("openai").decode([responseOf(edit)], requestOf())
      expect(result).toMatchObject({
        facts: { background: "opaque", output_format: "png", quality: "high", size: "1024x1024" },
      })
      expect(result.images).toHaveLength(1)
      expect(result.usage).toBeUndefined()
      const rejection: unknown = JSON.parse(
        readFixture("vercel-ai/openai/image/gpt-image-response-format-error.json"),
      )
      const error = imagesOf("openai").decodeError(400, rejection, new Headers())
      expect(error.details).toMatchObject({
        parameter: "response_format",
        upstream: { code: "unknown_parameter" },
      })
    },
  )
})

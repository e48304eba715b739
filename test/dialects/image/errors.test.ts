import { expect, test } from "bun:test"
import type { JsonValue } from "../../../src/canon/json.ts"
import { decodeImageError } from "../../../src/dialects/image/errors.ts"

const MESSAGE = "Your account has no credits"

test.each<[vendor: string, body: JsonValue]>([
  ["OpenAI", { error: { message: MESSAGE, type: "invalid_request_error", code: null } }],
  ["xAI", { code: "bad-request", error: MESSAGE }],
  ["Google", { error: { code: 400, message: MESSAGE, status: "FAILED_PRECONDITION" } }],
  ["Bedrock", { message: MESSAGE }],
  ["Stability", { id: "1", name: "bad_request", errors: [MESSAGE] }],
  ["DeepInfra", { detail: { error: MESSAGE } }],
  ["Cloudflare", { success: false, errors: [{ code: 5018, message: MESSAGE }] }],
  ["Mistral", { detail: MESSAGE }],
  [
    "OpenRouter",
    {
      error: {
        message: "Provider returned error",
        metadata: { raw: `{"error":{"message":"${MESSAGE}"}}` },
      },
    },
  ],
])("the image error decoder recognizes an account error of %s", (_, body) => {
  expect(decodeImageError(400, body).details.providerError).toBe("forbidden")
})

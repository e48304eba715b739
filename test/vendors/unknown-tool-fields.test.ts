import { expect, test } from "bun:test"
import type { DialectId } from "../../src/canon/extra.ts"
import type { JsonObject } from "../../src/canon/json.ts"
import { switchesOf } from "../../src/vendors/priced-features/index.ts"
import { unknownFieldsOf } from "../../src/vendors/priced-features/unknown-fields.ts"

function unknownIn(vendor: string, format: DialectId, body: JsonObject): readonly string[] {
  const found = unknownFieldsOf(format, switchesOf(vendor, format)).find(body, 100)
  return found.map(({ place }) => place)
}

test("entries of functions are only functions at routers and unknown servers", () => {
  const own = {
    name: "f",
    description: "d",
    parameters: { properties: { model: {} } },
    strict: true,
  }
  for (const vendor of ["openai-compatible", "litellm", "openrouter", "vercel", "requesty"]) {
    const functions = [own, { ...own, type: "web_search", googleSearch: {}, systemTool: {} }]
    expect([vendor, unknownIn(vendor, "openai-chat", { functions })]).toEqual([
      vendor,
      ["functions[1].type", "functions[1].googleSearch", "functions[1].systemTool"],
    ])
  }
})

test("the number of tokens of media is rejected in messages of every role", () => {
  for (const role of ["user", "model"]) {
    const part = { inlineData: {}, mediaResolution: { numTokens: 9 } }
    const found = unknownIn("google", "gemini", { contents: [{ role, parts: [part] }] })
    expect(found).toEqual(["contents[0].parts[0].mediaResolution.numTokens"])
  }
})

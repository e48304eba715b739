import { expect, test } from "bun:test"
import { unknownIn } from "./unknown-in.ts"

test("lists of functions may contain only functions at routers and unknown servers", () => {
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

test("a member that sets the number of tokens of media is rejected in messages of every role", () => {
  for (const role of ["user", "model"]) {
    const part = { inlineData: {}, mediaResolution: { numTokens: 9 } }
    const found = unknownIn("google", "gemini", { contents: [{ role, parts: [part] }] })
    expect(found).toEqual(["contents[0].parts[0].mediaResolution.numTokens"])
  }
})

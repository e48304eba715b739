import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import facts from "../../src/catalog/facts.json" with { type: "json" }
import { COMPATIBLE } from "../../src/vendors/compatible.ts"
import { vendors } from "../../src/vendors/index.ts"

const recorded = join(import.meta.dir, "../../../shared/fixtures/recorded")
const LOCAL = ["ollama", "vllm", "lm-studio", "llama-cpp"]

describe("the table of compatible vendors", () => {
  test("names each vendor once, in the shape that provider ids have", () => {
    const ids = COMPATIBLE.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9-]*$/)
    expect([...vendors.keys()]).toEqual(ids)
  })

  test("holds every vendor that is promised", () => {
    const promised =
      "openai mistral groq deepseek xai together fireworks openrouter perplexity cerebras deepinfra " +
      "nvidia moonshot huggingface zai ollama vllm lm-studio llama-cpp openai-compatible"
    for (const id of promised.split(" ")) expect(vendors.has(id)).toBe(true)
  })

  test("reaches vendors over https, and local servers on this machine", () => {
    for (const { id, baseUrl } of COMPATIBLE) {
      if (id === "openai-compatible") {
        expect(baseUrl).toBeUndefined()
        continue
      }
      const url = new URL(baseUrl ?? "")
      expect(url.protocol).toBe(LOCAL.includes(id) ? "http:" : "https:")
      expect(url.hostname === "127.0.0.1").toBe(LOCAL.includes(id))
      expect(`${url.origin}${url.pathname}`.replace(/\/$/, "")).toBe(baseUrl ?? "")
    }
  })

  test("switches each vendor on by variables of its own", () => {
    const all = COMPATIBLE.flatMap(({ keyVariables }) => keyVariables)
    expect(new Set(all).size).toBe(all.length)
    for (const variable of all) expect(variable).toMatch(/^[A-Z][A-Z0-9_]+$/)
    const keyless = COMPATIBLE.filter(({ keyVariables }) => keyVariables.length === 0)
    expect(keyless.map(({ id }) => id)).toEqual([...LOCAL, "openai-compatible"])
  })

  test("signs with a bearer token, and not at all without a key", () => {
    for (const vendor of vendors.values()) {
      expect(vendor.authorize("secret")).toEqual({ authorization: "Bearer secret" })
      expect(vendor.authorize(undefined)).toEqual({})
      expect(vendor.chat.id).toBe("openai-chat")
      expect(vendor.chatPath).toStartWith("/")
    }
  })

  test("uses the same ids as the known models", () => {
    const other = new Set("anthropic azure bedrock cohere google vertex voyage".split(" "))
    for (const id of Object.keys(facts.vendors)) expect(vendors.has(id) || other.has(id)).toBe(true)
  })
})

/** Where the folder has another name, and addresses that recordings reached on other ways. */
const FOLDERS: Record<string, string> = { "openai-chat": "openai" }
const OTHER_WAYS: Record<string, RegExp> = {
  // The router's older way, which names the backend in the path.
  huggingface: /^https:\/\/router\.huggingface\.co\/(together|novita)\/.+\/chat\/completions$/,
  // The same server at its other name, and its makers' cloud.
  ollama: /^(http:\/\/localhost:11434|https:\/\/ollama\.com)\/v1\/chat\/completions$/,
}

function recordedChatUrls(folder: string): string[] {
  return readdirSync(join(recorded, folder)).flatMap((file) => {
    const { request } = JSON.parse(readFileSync(join(recorded, folder, file), "utf8")) as {
      request: { url: string }
    }
    return request.url.endsWith("/chat/completions") ? [request.url] : []
  })
}

describe.skipIf(!existsSync(recorded))(
  "recorded requests (skipped without ../shared/fixtures)",
  () => {
    const folders = existsSync(recorded) ? readdirSync(recorded) : []
    for (const folder of folders) {
      const vendor = vendors.get(FOLDERS[folder] ?? folder)
      if (!vendor) continue
      test(`went to the address that the table gives ${vendor.id}`, () => {
        const expected = `${vendor.baseUrl}${vendor.chatPath}`
        for (const url of recordedChatUrls(folder)) {
          if (!OTHER_WAYS[vendor.id]?.test(url)) expect(url).toBe(expected)
        }
      })
    }
  },
)

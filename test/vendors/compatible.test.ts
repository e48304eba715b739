import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { COMPATIBLE } from "../../src/vendors/compatible.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import { vendors } from "../../src/vendors/index.ts"
import { ANY_REQUEST, providerOf, urlOf, vendorOf } from "./support.ts"

const recorded = join(import.meta.dir, "../../../shared/fixtures/recorded")
const LOCAL = ["ollama", "vllm", "lm-studio", "llama-cpp", "litellm"]
const ADDRESSED = ["tollgate", "openai-compatible"]

describe("the table of compatible vendors", () => {
  test("contains each vendor once, with a valid provider id", () => {
    const ids = COMPATIBLE.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9-]*$/)
    expect([...vendors.keys()]).toEqual(expect.arrayContaining(ids))
  })

  test("contains every documented vendor", () => {
    const promised =
      "openai mistral groq deepseek xai together fireworks openrouter perplexity cerebras deepinfra " +
      "nvidia moonshot huggingface zai ollama vllm lm-studio llama-cpp openai-compatible minimax " +
      "volcengine tencent zhipu moonshot-cn stepfun xiaomi databricks snowflake cloudflare " +
      "scaleway ovhcloud vercel requesty litellm tollgate"
    for (const id of promised.split(" ")) expect(vendors.has(id)).toBe(true)
  })

  test("marks the vendors with a default temperature other than 1", () => {
    const named = COMPATIBLE.filter(
      ({ quirks }) => quirks?.defaultFields?.["temperature"] !== undefined,
    )
    expect(named.map(({ id }) => id)).toEqual(["mistral", "perplexity", "zai", "zhipu", "stepfun"])
    for (const { quirks } of named) expect(quirks?.defaultFields).toEqual({ temperature: 1 })
  })

  test("lists the vendors that get the output limit under the name max_completion_tokens", () => {
    const named = COMPATIBLE.filter(
      ({ quirks }) => quirks?.maxTokensField === "max_completion_tokens",
    )
    expect(named.map(({ id }) => id)).toEqual([
      "openai",
      "cerebras",
      "snowflake",
      "minimax",
      "volcengine",
      "xiaomi",
    ])
  })

  test("uses https for vendors, and localhost for local servers", () => {
    for (const { id, baseUrl: template } of COMPATIBLE) {
      const baseUrl = template?.replace("{account}", "acme-1")
      if (ADDRESSED.includes(id)) {
        expect(baseUrl).toBeUndefined()
        continue
      }
      const url = new URL(baseUrl ?? "")
      expect(url.protocol).toBe(LOCAL.includes(id) ? "http:" : "https:")
      expect(url.hostname === "127.0.0.1").toBe(LOCAL.includes(id))
      expect(`${url.origin}${url.pathname}`.replace(/\/$/, "")).toBe(baseUrl ?? "")
    }
  })

  test("gives each vendor its own environment variables", () => {
    const all = COMPATIBLE.flatMap(({ keyVariables }) => keyVariables)
    expect(new Set(all).size).toBe(all.length)
    for (const variable of all) expect(variable).toMatch(/^[A-Z][A-Z0-9_]+$/)
    const keyless = COMPATIBLE.filter(({ keyVariables }) => keyVariables.length === 0)
    expect(keyless.map(({ id }) => id)).toEqual([...LOCAL, ...ADDRESSED])
  })

  test("uses a bearer token for authentication, or no authentication without a key", () => {
    for (const { id } of COMPATIBLE) {
      const signed = vendorOf(id)
        .signer(providerOf(id, { apiKey: "secret" }))
        .sign(ANY_REQUEST)
      expect(signed).toEqual({ authorization: "Bearer secret" })
      expect(vendorOf(id).signer(providerOf(id)).sign(ANY_REQUEST)).toEqual({})
    }
  })

  test("creates equal headers only once", () => {
    const signer = vendorOf("openai").signer(providerOf("openai", { apiKey: "secret" }))
    expect(signer.sign(ANY_REQUEST)).toBe(signer.sign({ ...ANY_REQUEST, body: "[]" }))
  })

  test("marks the vendors that support more than chat completions", () => {
    const spoken = (id: string) => vendorOf(id).chat.map(({ dialect }) => dialect.id)
    const both = COMPATIBLE.filter(({ responses }) => responses).map(({ id }) => id)
    expect(both).toEqual(["openai", "deepseek", "xai", "openrouter"])
    for (const id of both) expect(spoken(id)).toEqual(["openai-chat", "openai-responses"])
    expect(spoken("groq")).toEqual(["openai-chat"])
    expect(vendorOf("groq").optionalDialects).toBeUndefined()
  })

  test("lets the operator set the dialects of compatible servers", () => {
    for (const id of [...LOCAL, ...ADDRESSED]) {
      const provider = providerOf(id, { baseUrl: "http://here/v1" })
      expect(urlOf(provider, "openai-chat", "m")).toBe("http://here/v1/chat/completions")
      expect(urlOf(provider, "openai-responses", "m")).toBe("http://here/v1/responses")
      expect(urlOf(provider, "anthropic-messages", "m")).toBe("http://here/v1/messages")
      expect(vendorOf(id).optionalDialects).toEqual(["openai-responses", "anthropic-messages"])
    }
  })

  test("includes the provider's account in the URL if each customer has its own URL", () => {
    const addresses = {
      cloudflare: "https://api.cloudflare.com/client/v4/accounts/acme-1/ai/v1",
      databricks: "https://acme-1/serving-endpoints",
      snowflake: "https://acme-1.snowflakecomputing.com/api/v2/cortex/v1",
    }
    for (const [id, base] of Object.entries(addresses)) {
      const provider = providerOf(id, { account: "acme-1" })
      expect(urlOf(provider, "openai-chat", "m")).toBe(`${base}/chat/completions`)
      expect(vendorOf(id).probe(provider)).toEqual({ url: `${base}/models` })
      expect(vendorOf(id).baseUrlOf(providerOf(id))).toBeUndefined()
      const elsewhere = providerOf(id, { account: "acme-1", baseUrl: "http://here" })
      expect(vendorOf(id).baseUrlOf(elsewhere)).toBe("http://here")
    }
    expect(COMPATIBLE.filter((row) => row.accountVariables).map(({ id }) => id)).toEqual([
      "databricks",
      "snowflake",
      "cloudflare",
    ])
  })

  test("contains the documented address of each vendor", () => {
    const addresses = {
      openai: "https://api.openai.com/v1/chat/completions",
      upstage: "https://api.upstage.ai/v1/chat/completions",
    }
    for (const [id, url] of Object.entries(addresses)) {
      expect(urlOf(providerOf(id), "openai-chat", "m")).toBe(url)
    }
  })
})

/** Vendors of folders whose names are not the names of vendors. */
const FOLDERS: Record<string, string> = { "openai-chat": "openai", "openai-responses": "openai" }
const OTHER_WAYS: Record<string, RegExp> = {
  // Matches the older form of the router's address, which names the backend in the path.
  huggingface: /^https:\/\/router\.huggingface\.co\/(together|novita)\/.+\/chat\/completions$/,
  // Matches the local server under its other name, and the cloud of its makers.
  ollama: /^(http:\/\/localhost:11434|https:\/\/ollama\.com)\/v1\/chat\/completions$/,
}

const PATHS: Readonly<Record<string, DialectId>> = {
  "/chat/completions": "openai-chat",
  "/responses": "openai-responses",
}

/** Returns the recorded addresses in a folder, with the dialect of each. */
function recordedUrls(folder: string): { url: string; dialect: DialectId }[] {
  return readdirSync(join(recorded, folder)).flatMap((file) => {
    const { request } = JSON.parse(readFileSync(join(recorded, folder, file), "utf8")) as {
      request: { url: string }
    }
    const path = Object.keys(PATHS).find((end) => request.url.endsWith(end))
    const dialect = PATHS[path ?? ""]
    return dialect === undefined ? [] : [{ url: request.url, dialect }]
  })
}

describe.skipIf(!existsSync(recorded))(
  "recorded requests to compatible vendors (skipped without recordings)",
  () => {
    const folders = existsSync(recorded) ? readdirSync(recorded) : []
    for (const folder of folders) {
      const row = COMPATIBLE.find(({ id }) => id === (FOLDERS[folder] ?? folder))
      if (!row) continue
      test(`have the same addresses as the row of ${row.id}`, () => {
        for (const { url, dialect } of recordedUrls(folder)) {
          if (OTHER_WAYS[row.id]?.test(url)) continue
          expect(url).toBe(urlOf(providerOf(row.id), dialect, "any"))
        }
      })
    }
  },
)

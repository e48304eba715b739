import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import facts from "../../src/catalog/facts.json" with { type: "json" }
import type { DialectId } from "../../src/canon/extra.ts"
import type { ServiceAccount } from "../../src/config/settings.ts"
import { vendors } from "../../src/vendors/index.ts"
import { ANY_REQUEST, providerOf, urlOf, vendorOf } from "./support.ts"

const ACCOUNT: ServiceAccount = {
  clientEmail: "robot@project.iam.gserviceaccount.com",
  privateKey: "-----BEGIN PRIVATE KEY-----",
  tokenUri: "https://oauth2.googleapis.com/token",
  projectId: "robots",
}

describe("every vendor", () => {
  test("exists under its own name, with its own environment variables", () => {
    for (const [id, vendor] of vendors) expect(vendor.id).toBe(id)
    const ids = "anthropic azure bedrock cohere google vertex openai openai-compatible".split(" ")
    for (const id of ids) expect(vendors.has(id)).toBe(true)
    const variables = [...vendors.values()].flatMap(({ keyVariables }) => keyVariables)
    expect(new Set(variables).size).toBe(variables.length)
  })

  test("supports each chat dialect at most once, or supports an operation other than chat", () => {
    for (const { id, chat, operations, optionalDialects = [] } of vendors.values()) {
      const ids = chat.map(({ dialect }) => dialect.id)
      expect([id, ids.length > 0 || operations !== undefined]).toEqual([id, true])
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toEqual(expect.arrayContaining([...optionalDialects]))
    }
  })

  test("has the same id as its known models, and supports their dialects", () => {
    for (const [id, models] of Object.entries(facts.vendors)) {
      const spoken: string[] = vendorOf(id).chat.map(({ dialect }) => dialect.id)
      for (const model of Object.values(models) as { dialects?: string[] }[]) {
        expect(spoken).toEqual(expect.arrayContaining(model.dialects ?? []))
      }
    }
  })
})

describe("the address of a chat request", () => {
  const cases: [string, DialectId, Parameters<typeof providerOf>[1], string, boolean, string][] = [
    [
      "anthropic",
      "anthropic-messages",
      {},
      "claude-opus-5",
      true,
      "https://api.anthropic.com/v1/messages",
    ],
    [
      "anthropic",
      "anthropic-messages",
      { baseUrl: "http://here" },
      "m",
      false,
      "http://here/v1/messages",
    ],
    ["cohere", "cohere-chat", {}, "command-a", true, "https://api.cohere.com/v2/chat"],
    [
      "google",
      "gemini",
      {},
      "gemini-3-flash",
      false,
      "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash:generateContent",
    ],
    [
      "google",
      "gemini",
      { baseUrl: "http://here" },
      "a/../b?c",
      true,
      "http://here/v1beta/models/a%2F..%2Fb%3Fc:streamGenerateContent?alt=sse",
    ],
    [
      "azure",
      "openai-chat",
      { baseUrl: "https://mine.openai.azure.com" },
      "gpt",
      false,
      "https://mine.openai.azure.com/openai/v1/chat/completions",
    ],
    [
      "azure",
      "openai-responses",
      { baseUrl: "https://mine.openai.azure.com/openai/v1" },
      "gpt",
      true,
      "https://mine.openai.azure.com/openai/v1/responses",
    ],
    [
      "bedrock",
      "bedrock-converse",
      { region: "eu-west-1" },
      "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      false,
      "https://bedrock-runtime.eu-west-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    ],
    [
      "bedrock",
      "bedrock-converse",
      { region: "cn-north-1" },
      "arn:aws-cn:bedrock:cn-north-1:1:inference-profile/x",
      true,
      "https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/arn%3Aaws-cn%3Abedrock%3Acn-north-1%3A1%3Ainference-profile%2Fx/converse-stream",
    ],
    [
      "vertex",
      "gemini",
      { credentials: ACCOUNT },
      "gemini-3-flash",
      false,
      "https://aiplatform.googleapis.com/v1/projects/robots/locations/global/publishers/google/models/gemini-3-flash:generateContent",
    ],
    [
      "vertex",
      "gemini",
      { credentials: ACCOUNT, project: "mine", location: "europe-west4" },
      "gemini-3-flash",
      true,
      "https://europe-west4-aiplatform.googleapis.com/v1/projects/mine/locations/europe-west4/publishers/google/models/gemini-3-flash:streamGenerateContent?alt=sse",
    ],
    [
      "vertex",
      "gemini",
      { credentials: ACCOUNT, location: "eu" },
      "m",
      false,
      "https://aiplatform.eu.rep.googleapis.com/v1/projects/robots/locations/eu/publishers/google/models/m:generateContent",
    ],
    [
      "vertex",
      "gemini",
      { credentials: ACCOUNT, baseUrl: "http://here" },
      "m",
      false,
      "http://here/v1/projects/robots/locations/global/publishers/google/models/m:generateContent",
    ],
  ]
  for (const [vendor, dialect, more, model, stream, url] of cases) {
    test(`equals the documented address: ${url}`, () => {
      expect(urlOf(providerOf(vendor, more), dialect, model, stream)).toBe(url)
    })
  }

  test("stays undefined if the settings are incomplete", () => {
    for (const id of ["azure", "bedrock", "vertex", "openai-compatible"]) {
      expect(vendorOf(id).baseUrlOf(providerOf(id))).toBeUndefined()
    }
  })
})

describe("the headers of a chat request", () => {
  const signed = (vendor: string) =>
    vendorOf(vendor)
      .signer(providerOf(vendor, { apiKey: "secret" }))
      .sign(ANY_REQUEST)

  test("contain a plain key in the place that the vendor requires", () => {
    expect(signed("anthropic")).toEqual({ "x-api-key": "secret" })
    expect(signed("google")).toEqual({ "x-goog-api-key": "secret" })
    expect(signed("azure")).toEqual({ "api-key": "secret" })
    expect(signed("cohere")).toEqual({ authorization: "Bearer secret" })
    expect(signed("bedrock")).toEqual({ authorization: "Bearer secret" })
    expect(vendorOf("anthropic").signer(providerOf("anthropic")).sign(ANY_REQUEST)).toEqual({})
  })

  test("contain the version of Anthropic's API if the format needs it", () => {
    const versions = [...vendors.values()].flatMap(({ chat }) =>
      chat
        .filter(({ dialect }) => dialect.id === "anthropic-messages")
        .map(({ headers }) => headers),
    )
    expect(versions.length).toBeGreaterThan(1)
    for (const headers of versions) expect(headers).toEqual({ "anthropic-version": "2023-06-01" })
  })
})

const recorded = join(import.meta.dir, "../../../shared/fixtures/recorded")

/** Returns the recorded addresses in a folder that end in one of the chat methods, without masks. */
function recordedUrls(folder: string): URL[] {
  return readdirSync(join(recorded, folder)).flatMap((file) => {
    const { request } = JSON.parse(readFileSync(join(recorded, folder, file), "utf8")) as {
      request: { url: string }
    }
    const url = new URL(request.url.replace("<AWS_REGION>", "us-east-1"))
    return CHAT_PATH.test(url.pathname) ? [url] : []
  })
}

const CHAT_PATH = /\/(messages|v2\/chat|converse|converse-stream)$|generateContent$/i

describe.skipIf(!existsSync(recorded))(
  "addresses of recorded requests (skipped without recordings)",
  () => {
    test("equal the recorded addresses for Anthropic and Cohere", () => {
      for (const url of recordedUrls("anthropic-messages")) {
        const expected = urlOf(providerOf("anthropic"), "anthropic-messages", "m")
        expect(url.origin + url.pathname).toBe(expected)
      }
      for (const url of recordedUrls("cohere-chat-v2")) {
        expect(url.href).toBe(urlOf(providerOf("cohere"), "cohere-chat", "m"))
      }
    })

    test("equal the recorded addresses for Gemini and Bedrock", () => {
      const urls = [...recordedUrls("gemini-generatecontent"), ...recordedUrls("bedrock-converse")]
      expect(urls.length).toBeGreaterThan(50)
      for (const url of urls) {
        const [, model = "", method = ""] =
          /\/models?\/(.+)[:/](converse(?:-stream)?|\w+Content)$/.exec(url.pathname) ?? []
        const stream = method.includes("tream")
        const [provider, dialect] = url.hostname.startsWith("bedrock")
          ? ([providerOf("bedrock", { region: "us-east-1" }), "bedrock-converse"] as const)
          : ([providerOf("google"), "gemini"] as const)
        const ours = urlOf(provider, dialect, decodeURIComponent(model), stream)
        // Some clients do not encode the colon in the name of a model.
        expect(decodeURIComponent(ours)).toBe(decodeURIComponent(url.href))
      }
    })
  },
)

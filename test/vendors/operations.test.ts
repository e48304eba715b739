import { describe, expect, test } from "bun:test"
import facts from "../../src/catalog/facts.json" with { type: "json" }
import { buildCatalog } from "../../src/catalog/build-catalog.ts"
import { vendors } from "../../src/vendors/index.ts"
import { load } from "../config/harness.ts"
import { providerOf, vendorOf } from "./support.ts"

function idsWith(operation: "embedding" | "rerank"): string[] {
  return [...vendors.values()]
    .filter(({ operations }) => operations?.[operation])
    .map(({ id }) => id)
}

test("vendors with documented embeddings support embeddings", () => {
  const embedding = idsWith("embedding")
  const promised = "openai azure google vertex cohere voyage jina mistral bedrock together".split(
    " ",
  )
  expect(embedding).toEqual(expect.arrayContaining(promised))
  expect(embedding).not.toContain("anthropic")
})

test("vendors with documented reranking support reranking", () => {
  expect(idsWith("rerank").toSorted()).toEqual(
    "cohere jina litellm llama-cpp openai-compatible openrouter together tollgate vllm voyage".split(
      " ",
    ),
  )
})

test("every vendor with known embedding models supports embeddings", () => {
  for (const [id, models] of Object.entries(facts.vendors)) {
    const embeds = Object.values(models).some(({ kind }) => kind === "embedding")
    if (embeds) expect([id, vendorOf(id).operations?.embedding !== undefined]).toEqual([id, true])
  }
})

describe("vendors without chat", () => {
  for (const [id, variable, address] of [
    ["voyage", "VOYAGE_API_KEY", "https://api.voyageai.com/v1"],
    ["jina", "JINA_API_KEY", "https://api.jina.ai/v1"],
  ] as const) {
    test(`include the vendor ${id}`, () => {
      const vendor = vendorOf(id)
      const provider = providerOf(id, { apiKey: "secret" })
      expect([vendor.keyVariables, vendor.chat]).toEqual([[variable], []])
      expect(vendor.baseUrlOf(provider)).toBe(address)
      expect(vendor.baseUrlOf({ ...provider, baseUrl: "http://here/v1" })).toBe("http://here/v1")
      const request = { url: address, body: "{}" }
      expect(vendor.signer(provider).sign(request)).toEqual({ authorization: "Bearer secret" })
      expect(vendor.probe(provider)).toEqual({ known: expect.any(String) })
    })
  }

  test("have known models, but no chat models: Voyage", () => {
    const text = "models: { voyage/chat: { kind: chat, price: { input: 1, output: 1 } } }"
    const { settings } = load(
      text,
      { VOYAGE_API_KEY: "secret" },
      { vendors: [...vendors.values()] },
    )
    const { catalog, warnings } = buildCatalog({ settings, facts, vendors })
    const known = catalog.list().filter(({ id }) => id.startsWith("voyage/"))
    expect(known.length).toBe(Object.keys(facts.vendors.voyage).length)
    expect(catalog.require("voyage/voyage-4", "embedding").kind).toBe("embedding")
    expect(warnings.join()).toContain("supports none of its dialects")
    expect(JSON.parse(catalog.listBody())).toMatchObject({ object: "list" })
  })
})

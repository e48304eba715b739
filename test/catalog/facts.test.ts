import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { buildFacts, shipped } from "../../scripts/build-facts.ts"
import { nanos } from "../../scripts/facts/decimal.ts"
import type { PriceClass } from "../../scripts/facts/shape.ts"
import { facts, factsPath, fixtures, known, models, present, root } from "./known-facts.ts"

describe("facts.json", () => {
  test("names each vendor once, and no vendor is empty", () => {
    const expected =
      "anthropic azure bedrock cerebras cohere deepinfra deepseek fireworks google groq " +
      "huggingface mistral moonshot nvidia openai openrouter perplexity together vertex voyage " +
      "xai zai"
    expect(Object.keys(facts.vendors)).toEqual(expected.split(" "))
    for (const list of Object.values(facts.vendors)) expect(list).not.toBeEmptyObject()
  })

  test("every price can charge for the input, and for the output where there is any", () => {
    const speaking = new Set(["chat", "image", "speech", "transcription"])
    /** What of a kind may be counted in place of tokens. */
    const counted: Partial<Record<string, PriceClass>> = {
      rerank: "search",
      speech: "character",
      transcription: "second",
    }
    for (const { id, kind, price } of models) {
      const other = counted[kind]
      if (price === undefined || (other !== undefined && price[other] !== undefined)) continue
      expect([id, price.input]).toEqual([id, expect.any(String)])
      if (speaking.has(kind)) expect([id, price.output]).toEqual([id, expect.any(String)])
    }
  })

  test("cached input is never dearer than input, nor a gift with it", () => {
    const wrong = models.filter(({ price }) =>
      [price, ...(price?.tiers ?? [])].some(
        (rates) =>
          rates?.input !== undefined &&
          rates.input !== "0" &&
          rates.cached_input !== undefined &&
          (rates.cached_input === "0" || nanos(rates.cached_input) > nanos(rates.input)),
      ),
    )
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  test("a long-context tier is never cheaper than the base, and tiers ascend", () => {
    for (const { id, price } of models) {
      const steps = [{ above: 0, ...price }, ...(price?.tiers ?? [])]
      for (const [index, step] of steps.slice(1).entries()) {
        const before = steps[index]
        expect([id, step.above > (before?.above ?? 0)]).toEqual([id, true])
        for (const name of ["input", "output"] as const) {
          expect([id, nanos(step[name] ?? "0") >= nanos(before?.[name] ?? "0")]).toEqual([id, true])
        }
      }
    }
  })

  test("is small and has one model a line", async () => {
    const text = await Bun.file(factsPath).text()
    expect(text.length).toBeLessThan(700_000)
    expect(text.split("\n").filter((line) => line.startsWith("      ")).length).toBe(models.length)
  })
})

describe("known models", () => {
  test("openai/gpt-5", () => {
    expect(known("openai", "gpt-5")).toEqual({
      kind: "chat",
      created: Date.UTC(2025, 7, 7) / 1000,
      owner: "openai",
      context: 400_000,
      max_output: 128_000,
      input: ["text", "image"],
      tools: true,
      reasoning: true,
      price: { input: "1.25", cached_input: "0.125", output: "10", modes: { priority: "2" } },
    })
    expect(known("openrouter", "openai/gpt-5").owner).toBe("openai")
  })

  test("gpt-4o and gpt-4o-mini", () => {
    const large = { input: "2.5", cached_input: "1.25", output: "10" }
    expect(known("openai", "gpt-4o").price).toEqual({ ...large, modes: { priority: "1.7" } })
    expect(known("azure", "gpt-4o").price).toEqual(large)
    const small = { input: "0.15", cached_input: "0.075", output: "0.6" }
    const mini = { ...small, modes: { priority: "1.666667" } }
    expect(known("openai", "gpt-4o-mini").price).toEqual(mini)
    expect(known("openai", "gpt-4o-mini-2024-07-18").price).toEqual(mini)
    expect(known("openai", "gpt-4o-mini")).toMatchObject({ context: 128_000, max_output: 16_384 })
  })

  test("the first gpt-4o snapshot stayed dearer than its successors", () => {
    expect(known("openai", "gpt-4o-2024-05-13").price).toEqual({
      input: "5",
      output: "15",
      modes: { priority: "1.75" },
    })
  })

  test("deepseek's chat model has one price, not one for each time of day", () => {
    const price = { input: "0.14", cached_input: "0.0028", output: "0.28" }
    expect(known("deepseek", "deepseek-chat").price).toEqual(price)
  })

  test("gemini-2.5-pro costs more above 200,000 tokens, at both of its vendors", () => {
    for (const vendor of ["google", "vertex"]) {
      expect(known(vendor, "gemini-2.5-pro").price).toEqual({
        input: "1.25",
        cached_input: "0.125",
        output: "10",
        tiers: [{ above: 200_000, input: "2.5", cached_input: "0.25", output: "15" }],
      })
    }
  })

  test("claude sonnet: cache reads, and writes for five minutes and for an hour", () => {
    expect(known("anthropic", "claude-sonnet-4-6").price).toEqual({
      input: "3",
      cached_input: "0.3",
      cache_write: "3.75",
      cache_write_1h: "6",
      output: "15",
    })
    expect(known("bedrock", "us.anthropic.claude-sonnet-4-6").price?.cache_write_1h).toBe("6.6")
  })

  test("a model with a dated price has the one of the day the file was made for", () => {
    expect(known("anthropic", "claude-sonnet-5").price).toMatchObject({ input: "3", output: "15" })
  })

  test("each kind is there, and free models say so", () => {
    const kindsOf = {
      "openai/text-embedding-3-small": "embedding",
      "voyage/voyage-3.5": "embedding",
      "nvidia/nvidia/rerank-qa-mistral-4b": "rerank",
      "google/gemini-2.5-flash-image": "image",
      "cohere/cohere-transcribe-03-2026": "transcription",
      "cohere/rerank-v3.5": "rerank",
      "openai/gpt-4o-mini-tts": "speech",
      "openai/tts-1": "speech",
      "openai/whisper-1": "transcription",
      "perplexity/pplx-embed-v1-4b": "embedding",
      "openai/gpt-4o-transcribe": "transcription",
    }
    const found = models.filter(({ id }) => id in kindsOf).map(({ id, kind }) => [id, kind])
    expect(Object.fromEntries(found)).toEqual(kindsOf)
    expect(known("openrouter", "openai/gpt-oss-20b:free").price).toEqual({
      input: "0",
      output: "0",
    })
  })

  test("what is counted by searches, characters and seconds is priced by them", () => {
    // 2 a thousand searches, 15 a million characters, 0.006 a minute.
    expect(known("cohere", "rerank-v3.5").price).toEqual({ search: "2000" })
    expect(known("openai", "tts-1").price).toEqual({ character: "15" })
    expect(known("openai", "tts-1-hd").price).toEqual({ character: "30" })
    expect(known("openai", "whisper-1").price).toEqual({ second: "100" })
    expect(known("perplexity", "pplx-embed-v1-0.6b").price).toEqual({ input: "0.004" })
    expect(known("cohere", "cohere-transcribe-03-2026").price).toBeUndefined()
  })

  test("resold audio and images are not sold at the price of text", () => {
    expect(known("openrouter", "openai/gpt-audio").price?.audio_output).toBe("64")
    expect(known("openrouter", "google/gemini-2.5-flash-image").price?.output).toBe("30")
    expect(known("openrouter", "openai/gpt-5-image").price).toBeUndefined()
  })

  test("what a vendor offers in one of its dialects only says so", () => {
    const responsesOnly = {
      openai: "o1-pro o3-pro gpt-5-pro gpt-5.4-pro gpt-5-codex gpt-5.3-codex o3-deep-research",
      azure: "gpt-5-pro gpt-5-codex codex-mini",
      xai: "grok-4.20-multi-agent-0309",
    }
    for (const [vendor, names] of Object.entries(responsesOnly)) {
      for (const name of names.split(" ")) {
        expect([name, known(vendor, name).dialects]).toEqual([name, ["openai-responses"]])
      }
    }
    const chatOnly = {
      openai: "gpt-audio gpt-3.5-turbo",
      azure: "deepseek-v3.2 phi-4 grok-4-fast-reasoning cohere-command-a",
      deepseek: "deepseek-chat",
    }
    for (const [vendor, names] of Object.entries(chatOnly)) {
      for (const name of names.split(" ")) {
        expect([name, known(vendor, name).dialects]).toEqual([name, ["openai-chat"]])
      }
    }
    for (const name of ["gpt-5", "gpt-5.5", "o3", "gpt-4o", "gpt-5-chat-latest"]) {
      expect([name, known("openai", name).dialects]).toEqual([name, undefined])
    }
    expect(models.filter((model) => model.dialects && model.kind !== "chat")).toEqual([])
  })

  test("models of every cloud come priced, under the names they have there", () => {
    const priced = {
      anthropic: "claude-sonnet-4-6",
      azure: "gpt-5-mini",
      bedrock: "us.anthropic.claude-sonnet-4-6 eu.anthropic.claude-opus-4-8 amazon.nova-pro-v1:0",
      cohere: "command-a-03-2025",
      google: "gemini-3.5-flash",
      vertex: "gemini-3.5-flash gemini-3.6-flash",
    }
    for (const [vendor, names] of Object.entries(priced)) {
      for (const name of names.split(" ")) expect(known(vendor, name).price).toBeDefined()
    }
  })

  test("what no dialect of its vendor reaches is left out", () => {
    const names = ["azure", "vertex"].flatMap((vendor) => Object.keys(facts.vendors[vendor] ?? {}))
    expect(names.filter((name) => name.startsWith("claude-"))).toEqual([])
    expect(facts.vendors["bedrock"]).not.toHaveProperty(["openai.gpt-5.5"])
    expect(facts.vendors["bedrock"]).toHaveProperty(["openai.gpt-oss-120b-1:0"])
  })

  test("retired models are left out", () => {
    for (const name of ["claude-3-opus-20240229", "claude-3-5-sonnet-20241022"]) {
      expect(facts.vendors["anthropic"]).not.toHaveProperty([name])
    }
  })
})

describe("scripts/build-facts.ts", () => {
  test("without its arguments it prints its usage and exits 2", async () => {
    const child = Bun.spawn([process.execPath, join(root, "scripts/build-facts.ts")], {
      stderr: "pipe",
    })
    expect(await new Response(child.stderr).text()).toStartWith("usage: npm run facts")
    expect(await child.exited).toBe(2)
  })

  test.skipIf(!present)("makes facts.json again (skips without ../shared)", async () => {
    const { text } = await buildFacts({
      ...shipped,
      modelsDev: join(fixtures, "models.dev-2026-07-02.json"),
      genaiPrices: join(fixtures, "genai-prices.data.json"),
    })
    expect(text).toBe(await Bun.file(factsPath).text())
  })
})

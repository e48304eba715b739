import { describe, expect, test } from "bun:test"
import { nanos } from "../../price-data/decimal.ts"
import type { PriceClass } from "../../price-data/shape.ts"
import { vendors } from "../../src/vendors/index.ts"
import { checkFacts } from "../../src/catalog/prices/facts-schema.ts"
import { facts, factsPath, known, models } from "./known-facts.ts"

describe("facts.json", () => {
  test("names each vendor once, with at least one model", () => {
    const expected =
      "alibaba anthropic azure baseten bedrock cerebras cloudflare cohere databricks deepgram " +
      "deepinfra deepseek elevenlabs fireworks google groq huggingface hyperbolic jina minimax " +
      "mistral moonshot moonshot-cn nebius novita nvidia openai openrouter ovhcloud perplexity " +
      "requesty sambanova scaleway siliconflow snowflake stability stepfun tencent together upstage " +
      "vercel vertex volcengine voyage xai xiaomi zai zhipu"
    expect(Object.keys(facts.vendors)).toEqual(expected.split(" "))
    for (const list of Object.values(facts.vendors)) expect(list).not.toBeEmptyObject()
  })

  test("has prices for the input and for each kind of output", () => {
    const speaking = new Set(["chat", "image", "speech", "transcription"])
    /** Units that may be counted instead of tokens, by kind of model. */
    const counted: Partial<Record<string, PriceClass>> = {
      image: "image",
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

  test("has no cached input price above the input price, or of zero if the input is not free", () => {
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

  test("has no price for cache writes below the input price, except for MiniMax's models", () => {
    const wrong = models.filter(({ price, owner }) =>
      [price, ...(price?.tiers ?? []).map((tier) => ({ ...price, ...tier }))].some(
        (rates) =>
          owner !== "minimax" &&
          rates?.cache_write !== undefined &&
          nanos(rates.cache_write) * 1_005n < nanos(rates.input ?? "0") * 1_000n,
      ),
    )
    expect(wrong.map(({ id }) => id)).toEqual([])
  })

  test("has ascending long-context tiers that are never cheaper than the base", () => {
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

  test("contains its own date and the date of each price", () => {
    const days = facts.generated_from.map(({ date }) => date)
    expect(days.every((day) => day <= facts.date)).toBe(true)
    const own = new Set([undefined, ...days])
    expect(models.filter(({ priced }) => !own.has(priced)).map(({ id }) => id)).toEqual([])
    expect(models.filter(({ priced }) => priced === facts.date).length).toBeGreaterThan(500)
  })

  test("has a limited size and one model per line", async () => {
    const text = await Bun.file(factsPath).text()
    expect(text.length).toBeLessThan(800_000)
    expect(text.split("\n").filter((line) => line.startsWith("      ")).length).toBe(models.length)
  })
})

describe("built-in models", () => {
  test("cost more at regional locations of Vertex if Google has regional prices", () => {
    const regional = models.filter((model) => model.regional !== undefined)
    expect(regional.map(({ id }) => id)).toContain("vertex/gemini-3.8-flash")
    expect(
      regional.every(({ id, regional }) => id.startsWith("vertex/") && regional === "1.1"),
    ).toBe(true)
  })

  test("have OpenRouter's search price unless the maker's price is higher or the models always search", () => {
    expect(known("google", "gemini-3.8-flash").price?.search).toBe("14000")
    expect(known("openrouter", "google/gemini-3.8-flash").price?.search).toBeUndefined()
    expect(known("openrouter", "google/gemini-2.5-pro").price?.search).toBe("35000")
    expect(known("openrouter", "perplexity/sonar-deep-research").price?.search).toBe("5000")
  })

  test("cost more at each of OpenAI's regional hosts", () => {
    for (const region of ["us", "eu", "ae", "au", "in", "jp"]) {
      expect(String(facts.services["openai"]?.regional?.hosts).split(" ")).toContain(
        `${region}.api.openai.com`,
      )
    }
  })

  test("have half the image price in Google's flex tier", () => {
    expect(known("google", "gemini-3-pro-image").price?.modes?.["flex"]).toBe("0.5")
    expect(known("google", "gemini-2.5-flash-image").price?.modes?.["flex"]).toMatchObject({
      image_output: "15",
    })
  })

  test("have the same price for map and web searches if Google bills both by query", () => {
    for (const vendor of ["google", "vertex"]) {
      expect(known(vendor, "gemini-3.8-flash").price?.map_search).toBe("14000")
      expect(known(vendor, "gemini-2.5-flash").price?.map_search).toBeUndefined()
    }
  })

  test("include openai/gpt-5 with its kind, limits and prices", () => {
    expect(known("openai", "gpt-5")).toEqual({
      kind: "chat",
      created: Date.UTC(2025, 7, 7) / 1000,
      owner: "openai",
      context: 400_000,
      max_output: 128_000,
      input: ["text", "image"],
      tools: true,
      reasoning: true,
      efforts: ["minimal", "low", "medium", "high"],
      temperature: false,
      structured_output: true,
      price: {
        input: "1.25",
        cached_input: "0.125",
        output: "10",
        modes: { priority: "2", flex: "0.5", batch: "0.5" },
      },
      priced: expect.any(String),
    })
    expect(known("openrouter", "openai/gpt-5").owner).toBe("openai")
  })

  test("have prices in their units for every vendor", () => {
    const prices = {
      alibaba: { "qwen3.7-max": { input: "2.5", cached_input: "0.5", output: "7.5" } },
      baseten: { "deepseek-ai/DeepSeek-V4.1-Flash": { input: "0.3", output: "1.2" } },
      bedrock: {
        "amazon.titan-embed-text-v2:0": { input: "0.02" },
        "stability.sd3-5-large-v1:0": { image: "80000" },
      },
      cloudflare: { "@cf/baai/bge-m3": { input: "0.012" } },
      databricks: { "databricks-gpt-5-mini": { input: "0.25", output: "2" } },
      deepgram: { "nova-3": { second: "71.67" }, "aura-2": { character: "30" } },
      elevenlabs: { eleven_v3: { character: "80" }, scribe_v2: { second: "61.1" } },
      hyperbolic: { "deepseek-ai/DeepSeek-R1": { input: "2", output: "2" } },
      jina: { "jina-reranker-v3.5": { input: "0.05" } },
      nebius: { "openai/gpt-oss-120b": { input: "0.15", output: "0.6" } },
      minimax: { "MiniMax-M3": { input: "0.3", output: "1.2", tiers: [{ above: 512_000 }] } },
      "moonshot-cn": { "kimi-k3": { input: "3", output: "15" } },
      ovhcloud: { "gpt-oss-120b": { input: "0.09", output: "0.47" } },
      requesty: { "claude-sonnet-4-5": { input: "3", output: "15" } },
      // The listed prices are 0.15 and 0.6 euros.
      scaleway: { "gpt-oss-120b": { input: "0.1755", output: "0.702" } },
      snowflake: { "claude-haiku-4-5": { input: "1", output: "5" } },
      stepfun: { "step-3.7-flash": { input: "0.185", output: "1.11" } },
      tencent: { hy4: { input: "0.834", output: "2.501" } },
      volcengine: { "doubao-seed-2-1-pro-260628": { output: "4.45301" } },
      xiaomi: { "mimo-v2.6-pro": { input: "0.435", output: "0.87" } },
      zhipu: { "glm-5.3": { input: "1.142857143", output: "4" } },
      sambanova: { "gpt-oss-120b": { input: "0.22", output: "0.59" } },
      stability: { "sd3.5-large": { image: "65000" } },
      upstage: { "solar-pro3": { input: "0.25", output: "0.25" } },
      vercel: { "anthropic/claude-sonnet-4.5": { input: "3", output: "15" } },
    }
    for (const [vendor, models] of Object.entries(prices)) {
      for (const [name, price] of Object.entries(models)) {
        expect(known(vendor, name).price).toMatchObject(price)
      }
    }
  })

  test("have all price classes in each long-context tier", () => {
    expect(known("alibaba", "qwen-flash").price).toMatchObject({
      input: "0.05",
      output: "0.4",
      tiers: [{ above: 256_000, input: "0.25", output: "2" }],
    })
    const [tier] = known("openai", "gpt-6-astra").price?.tiers ?? []
    expect(tier).toMatchObject({ input: "20", cache_write: "25", cache_write_12h: "50" })
  })

  test("have the maker's long-context tiers and cache write prices at resellers", () => {
    expect(known("requesty", "gpt-5.5").price).toMatchObject({
      input: "5.5",
      tiers: [{ above: 272_000, input: "11", cached_input: "1.1", output: "49.5" }],
    })
    expect(known("requesty", "gpt-6-sol").price).toMatchObject({
      input: "2",
      cache_write: "2.5",
      tiers: [{ above: 272_000, input: "4", cache_write: "5" }],
    })
    expect(known("openrouter", "minimax/minimax-m3").price?.tiers).toHaveLength(1)
  })

  test("have the discount of a service mode in every tier", () => {
    expect(known("openai", "gpt-5.5-pro").price?.modes).toEqual({ flex: "0.5", batch: "0.5" })
    expect(known("xai", "grok-4.7").price?.modes?.["batch"]).toMatchObject({
      input: "1.6",
      tiers: [{ input: "3.2", output: "9.6" }],
    })
  })

  test("exclude models of kinds that the gateway cannot call", () => {
    for (const { id, kind } of models) {
      const vendor = vendors.get(id.slice(0, id.indexOf("/")))
      const isServed = kind === "chat" ? vendor?.chat.length !== 0 : vendor?.operations?.[kind]
      expect([id, Boolean(isServed)]).toEqual([id, true])
    }
  })

  test("include gpt-4o and gpt-4o-mini with their prices", () => {
    const large = { input: "2.5", cached_input: "1.25", output: "10" }
    expect(known("openai", "gpt-4o").price).toMatchObject({ ...large, modes: { priority: "1.7" } })
    expect(known("azure", "gpt-4o").price).toMatchObject(large)
    const small = { input: "0.15", cached_input: "0.075", output: "0.6" }
    const mini = {
      ...small,
      modes: { priority: { input: "0.25", cached_input: "0.125", output: "1" } },
    }
    expect(known("openai", "gpt-4o-mini").price).toMatchObject(mini)
    expect(known("openai", "gpt-4o-mini-2024-07-18").price).toMatchObject(mini)
    expect(known("openai", "gpt-4o-mini")).toMatchObject({ context: 128_000, max_output: 16_384 })
  })

  test("have rates for a service mode if no factor fits all classes", () => {
    const long = { above: 272_000, input: "2.5", cached_input: "0.25", output: "11.25" }
    expect(known("openai", "gpt-5.4").price?.modes).toEqual({
      priority: "2",
      flex: { input: "1.25", cached_input: "0.13", output: "7.5", tiers: [long] },
      batch: { input: "1.25", cached_input: "0.13", output: "7.5", tiers: [long] },
    })
    const flex = { input: "0.15", cached_input: "0.03", output: "1.25", audio_input: "0.5" }
    expect(known("google", "gemini-2.5-flash").price?.modes).toMatchObject({ flex })
    expect(known("google", "gemini-2.5-pro").price?.modes).toMatchObject({
      priority: "1.8",
      flex: {
        cached_input: "0.125",
        tiers: [{ above: 200_000, input: "1.25", cached_input: "0.25", output: "7.5" }],
      },
    })
    expect(known("anthropic", "claude-opus-5-5").price?.modes).toMatchObject({ batch: "0.5" })
  })

  test("cost 10 percent of the input price at Alibaba for hits of a marked cache", () => {
    const { price } = known("alibaba", "qwen3-max")
    expect(price).toMatchObject({ input: "1.2", cached_input: "0.24" })
    expect(price?.modes?.["ephemeral"]).toMatchObject({ input: "1.2", cached_input: "0.12" })
    expect(known("alibaba", "kimi-k3").price?.modes).toBeUndefined()
  })

  test("pass validation", () => {
    expect(checkFacts(structuredClone(facts))).not.toHaveProperty("fault")
  })

  test("cost twice as much in DeepSeek's peak hours", () => {
    for (const { id, price } of models.filter(({ id }) => id.startsWith("deepseek/"))) {
      const [peak, ...others] = price?.periods ?? []
      expect([id, others]).toEqual([id, []])
      for (const name of ["input", "cached_input", "output"] as const) {
        expect(nanos(peak?.[name] ?? "0")).toBe(2n * nanos(price?.[name] ?? "0"))
      }
    }
    const peak = { name: "peak", input: "1.32", cached_input: "0.044", output: "3.96" }
    expect(known("deepseek", "deepseek-v4-pro").price).toMatchObject({ periods: [peak] })
  })

  test("include the newest model of each vendor, priced by at least two lists", () => {
    expect(known("openai", "gpt-6-sol").price).toMatchObject({
      input: "2",
      cached_input: "0.2",
      cache_write: "2.5",
      output: "10",
      tiers: [{ above: 272_000, input: "4", output: "15" }],
      modes: { priority: "2", flex: "0.5" },
    })
    expect(known("anthropic", "claude-opus-5-5").price).toMatchObject({
      input: "4",
      output: "20",
      modes: { fast: "2" },
    })
    expect(known("anthropic", "claude-haiku-5-5").price).toMatchObject({
      input: "0.1",
      tiers: [{ above: 100_000, input: "0.5" }],
    })
    expect(known("google", "gemini-4-argon").price).toMatchObject({ input: "2", output: "10" })
    expect(known("openai", "gpt-image-2.5-flare")).toMatchObject({
      kind: "image",
      price: { input: "5", image_input: "8", output: "30" },
    })
  })

  test("have separate search prices if the vendor has several", () => {
    expect(known("google", "gemini-2.5-pro").price?.search).toBe("35000")
    expect(known("google", "gemini-3.5-flash").price?.search).toBe("14000")
    // A price per request includes the price of its searches.
    expect(known("perplexity", "sonar").price).toMatchObject({
      request: "12000",
      request_medium: "8000",
      request_low: "5000",
    })
    expect(known("perplexity", "sonar").price?.search).toBeUndefined()
  })

  test("have higher prices for gemini-2.5-pro above 200,000 tokens, at both of its vendors", () => {
    for (const vendor of ["google", "vertex"]) {
      expect(known(vendor, "gemini-2.5-pro").price).toMatchObject({
        input: "1.25",
        cached_input: "0.125",
        output: "10",
        tiers: [{ above: 200_000, input: "2.5", cached_input: "0.25", output: "15" }],
      })
    }
  })

  test("have higher prices for xAI's models at 200,000 tokens and above", () => {
    const tiers = Object.values(facts.vendors["xai"] ?? {}).flatMap(
      ({ price }) => price?.tiers ?? [],
    )
    expect(new Set(tiers.map(({ above }) => above))).toEqual(new Set([199_999]))
  })

  test("include one price for all of Cohere's Embed 3 models", () => {
    const models = Object.entries(facts.vendors["cohere"] ?? {})
    const third = models.filter(([name]) => /^embed-.*-v3/.test(name))
    expect(new Set(third.map(([, { price }]) => price?.input))).toEqual(new Set(["0.1"]))
  })

  test("have cache read prices, and write prices for five minutes and an hour, for Claude Sonnet", () => {
    expect(known("anthropic", "claude-sonnet-4-6").price).toMatchObject({
      input: "3",
      cached_input: "0.3",
      cache_write: "3.75",
      cache_write_1h: "6",
      output: "15",
    })
    expect(known("bedrock", "us.anthropic.claude-sonnet-4-6").price?.cache_write_1h).toBe("6.6")
  })

  test("have the dated price that applies on the date of the file", () => {
    expect(known("anthropic", "claude-sonnet-5").price).toMatchObject({ input: "2", output: "10" })
  })

  test("exclude withdrawn models", () => {
    const names = models.map(({ id }) => id)
    expect(names.filter((id) => id.startsWith("xiaomi/mimo-v2.5"))).toEqual([])
    expect(names).toContain("xiaomi/mimo-v2.6-pro")
  })

  test("include each kind of model, and mark free models", () => {
    const kindsOf = {
      "openai/text-embedding-3-small": "embedding",
      "voyage/voyage-3.5": "embedding",
      "jina/jina-reranker-v3.5": "rerank",
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
    expect(known("openrouter", "google/gemma-4-31b-it:free").price).toEqual({
      input: "0",
      output: "0",
    })
  })

  test("have prices by searches, characters and seconds if the vendor charges by them", () => {
    // 2 a thousand searches, 15 a million characters, 0.006 a minute.
    expect(known("cohere", "rerank-v3.5").price).toEqual({ search: "2000" })
    expect(known("openai", "tts-1").price).toEqual({ character: "15" })
    expect(known("openai", "tts-1-hd").price).toEqual({ character: "30" })
    expect(known("openai", "whisper-1").price).toEqual({ second: "100" })
    // The listed price is 0.04 per hour, with at least ten seconds for each request.
    const turbo = known("groq", "whisper-large-v3-turbo").price
    expect(turbo).toMatchObject({ second: "11.111111111", minimum_seconds: "10" })
    expect(known("perplexity", "pplx-embed-v1-0.6b").price).toEqual({ input: "0.004" })
    expect(known("cohere", "cohere-transcribe-03-2026").price).toBeUndefined()
  })

  test("never use the text price for generated audio or images", () => {
    expect(known("openrouter", "openai/gpt-audio").price?.audio_output).toBe("64")
    for (const [vendor, name] of [
      ["openrouter", "google/gemini-2.5-flash-image"],
      ["google", "gemini-2.5-flash-image"],
      ["vertex", "gemini-2.5-flash-image"],
    ] as const) {
      expect(known(vendor, name).price).toMatchObject({ output: "2.5", image_output: "30" })
    }
    // If a list has a single output price, it is the price for images.
    expect(known("openai", "gpt-image-2").price).toMatchObject({ output: "30" })
    expect(known("openrouter", "openai/gpt-5-image").price).toBeUndefined()
  })

  test("list the dialects of models that support only some of them", () => {
    const responsesOnly = {
      openai: "o3-pro gpt-5-pro gpt-5.4-pro gpt-5.3-codex",
      azure: "gpt-5-pro gpt-5-codex",
      xai: "grok-4.20-multi-agent-0309",
    }
    for (const [vendor, names] of Object.entries(responsesOnly)) {
      for (const name of names.split(" ")) {
        expect([name, known(vendor, name).dialects]).toEqual([name, ["openai-responses"]])
      }
    }
    const chatOnly = {
      openai: "gpt-audio gpt-audio-1.5",
      azure: "deepseek-v3.2 phi-4 grok-4-1-fast-reasoning cohere-command-a",
    }
    for (const [vendor, names] of Object.entries(chatOnly)) {
      for (const name of names.split(" ")) {
        expect([name, known(vendor, name).dialects]).toEqual([name, ["openai-chat"]])
      }
    }
    for (const name of ["gpt-5", "gpt-5.5", "o3", "gpt-4o", "gpt-6-sol"]) {
      expect([name, known("openai", name).dialects]).toEqual([name, undefined])
    }
    expect(models.filter((model) => model.dialects && model.kind !== "chat")).toEqual([])
  })

  test("have prices under the model names of each cloud", () => {
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

  test("exclude models that no dialect of their vendor supports", () => {
    const names = ["azure", "vertex"].flatMap((vendor) => Object.keys(facts.vendors[vendor] ?? {}))
    expect(names.filter((name) => name.startsWith("claude-"))).toEqual([])
    expect(facts.vendors["bedrock"]).not.toHaveProperty(["openai.gpt-5.5"])
    expect(facts.vendors["bedrock"]).toHaveProperty(["openai.gpt-oss-120b-1:0"])
  })

  test("exclude retired models", () => {
    for (const name of ["claude-3-opus-20240229", "claude-3-5-sonnet-20241022"]) {
      expect(facts.vendors["anthropic"]).not.toHaveProperty([name])
    }
  })
})

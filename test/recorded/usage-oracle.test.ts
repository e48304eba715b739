import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import { HAS_FIXTURES, readFixture, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { CHAT, receiptOf } from "./checks.ts"
import { type ReplayGateway, startReplayGateway } from "./replay-gateway.ts"

interface OracleCase {
  readonly model: string | null
  readonly body: { readonly file: string; readonly usage?: JsonObject }
  readonly extracted: readonly {
    readonly usage: Readonly<Record<string, number>>
    readonly extractors: readonly { readonly provider_id: string; readonly api_flavor: string }[]
  }[]
}

/** The oracle's rules for chat responses in this format, with the vendor of each rule. */
const VENDOR_OF_RULE: Readonly<Record<string, string>> = {
  "openai/chat": "openai",
  "azure/chat": "openai-compatible",
  "groq/default": "groq",
  "mistral/default": "mistral",
  "deepseek/chat": "deepseek",
  "openrouter/chat": "openrouter",
  "perplexity/default": "perplexity",
  "x-ai/chat": "xai",
}

/** One usage object, and the result of one rule of the oracle. */
interface Question {
  readonly id: string
  readonly rule: string
  readonly usage: JsonObject
  readonly expected: Readonly<Record<string, number>>
}

function questions(): Question[] {
  if (!HAS_FIXTURES) return []
  const text = readFixture("prices/genai-prices.usages-oracle.json")
  return (JSON.parse(text) as OracleCase[]).flatMap(({ body, model, extracted }, index) =>
    extracted.flatMap(({ usage: expected, extractors }) =>
      extractors.flatMap(({ provider_id: provider, api_flavor: flavor }) => {
        const rule = `${provider}/${flavor}`
        if (!isJsonObject(body.usage) || !(rule in VENDOR_OF_RULE)) return []
        const name = body.file.replace(/^.*\//, "").replace(".yaml", "")
        const id = `${rule} ${index} ${name} ${model ?? ""}`
        return [{ id, rule, usage: body.usage, expected }]
      }),
    ),
  )
}

/**
 * Returns the reason why the oracle's rule does not apply to a usage object, if docs/contribute/wire/README.md#f4
 * differs from it.
 */
function exclusion({ rule, usage }: Question): string | undefined {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
  const beyond = Number(total) - Number(prompt) - Number(completion)
  const reasoning = memberOf(usage, "completion_tokens_details", "reasoning_tokens")
  if (beyond > 0 && beyond !== reasoning) {
    return "Gemini's compatible API hides thoughts in the total (docs/contribute/wire/README.md#f4); the oracle has no rule for it"
  }
  if (rule === "x-ai/chat" && reasoning > 0 && beyond === 0) {
    return "the total shows that this vendor counts reasoning inside the completion"
  }
  return undefined
}

/** Classes that a rule of the oracle does not have. They are not compared. */
const UNKNOWN_TO: Readonly<Record<string, readonly string[]>> = {
  "perplexity/default": ["cached_input", "cache_write", "reasoning", "audio_input"],
  "deepseek/chat": ["audio_input"],
  "mistral/default": ["audio_input"],
  "x-ai/chat": ["audio_input"],
}

const all = questions()
const asked = all.filter((question) => exclusion(question) === undefined)

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(
    all.map(({ id, rule, usage }) => ({
      id,
      provider: VENDOR_OF_RULE[rule] ?? "",
      vendor: VENDOR_OF_RULE[rule] ?? "",
      replay: {
        status: 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(answerWith(usage)),
      },
    })),
  )
})

afterAll(() => replaying[Symbol.asyncDispose]())

function answerWith(usage: JsonObject): JsonObject {
  const message = { role: "assistant", content: "Hello" }
  const choices = [{ index: 0, message, finish_reason: "stop" }]
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "m", choices, usage }
}

/** Returns the usage on the receipt of a request whose response contains a usage object. */
async function usageOf(id: string): Promise<Readonly<Record<string, number>>> {
  const { caller } = replaying
  const messages = [{ role: "user", content: "Hello" }]
  const response = await caller.post(CHAT, { messages, model: replaying.modelOf(id) })
  await response.body?.cancel()
  expect(response.status).toBe(200)
  const receipt = await receiptOf(caller, response.headers.get("x-request-id") ?? "")
  expect(receipt.estimated).toBe(false)
  return receipt.usage ?? {}
}

function memberOf(usage: JsonObject, details: string, name: string): number {
  const members = usage[details]
  return isJsonObject(members) ? Number(members[name] ?? 0) : 0
}

/** Converts a usage to the oracle's classes, in which input and output include their parts. */
function inOraclesWords(usage: Readonly<Record<string, number>>): Record<string, number> {
  const of = (name: string): number => usage[name] ?? 0
  const words = {
    input_tokens: of("input") + of("cached_input") + of("cache_write") + of("audio_input"),
    cache_read_tokens: of("cached_input"),
    cache_write_tokens: of("cache_write"),
    input_audio_tokens: of("audio_input"),
    output_tokens: of("output") + of("audio_output") + of("image_output"),
    output_reasoning_tokens: of("reasoning"),
  }
  return Object.fromEntries(Object.entries(words).filter(([, quantity]) => quantity !== 0))
}

const ORACLES_WORD: Readonly<Record<string, string>> = {
  cached_input: "cache_read_tokens",
  cache_write: "cache_write_tokens",
  reasoning: "output_reasoning_tokens",
  audio_input: "input_audio_tokens",
}

describe(`recorded usage compared with the oracle${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`covers most of the recorded bodies${WITHOUT_FIXTURES}`, () => {
    expect(asked.length).toBeGreaterThan(400)
    expect(all.length - asked.length).toBeLessThan(30)
  })

  for (const question of asked) {
    test(`matches the oracle: ${question.id}`, async () => {
      const words = inOraclesWords(await usageOf(question.id))
      for (const name of UNKNOWN_TO[question.rule] ?? []) delete words[ORACLES_WORD[name] ?? name]
      expect(words).toEqual({ ...question.expected })
    })
  }
})

describe(`recorded usage that differs from the oracle${WITHOUT_FIXTURES}`, () => {
  for (const question of all.filter((candidate) => exclusion(candidate) !== undefined)) {
    test(`differs as documented: ${question.id}: ${exclusion(question)}`, async () => {
      const { usage } = question
      const words = inOraclesWords(await usageOf(question.id))
      expect(words.input_tokens).toBe(Number(usage.prompt_tokens))
      // In both cases, the total minus the prompt is the model's output, which must be counted once.
      expect(words.output_tokens).toBe(Number(usage.total_tokens) - Number(usage.prompt_tokens))
    })
  }
})

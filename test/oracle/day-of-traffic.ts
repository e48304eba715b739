/** Requests of a day to every provider, generated with a fixed seed. */
import type { Used } from "./charge-oracle.ts"
import type { Scripted } from "./scripted-responses.ts"

type Json = Record<string, unknown>

/** A request to the gateway, with the provider's response. */
export interface Sent extends Scripted {
  readonly path: string
  /** Fields in addition to the model. */
  readonly body: Json
}

const CHAT = "/v1/chat/completions"
const RESPONSES = "/v1/responses"
const MESSAGES = "/v1/messages"
const HELLO = [{ role: "user", content: "Hello there, gateway" }]
const SAID: Readonly<Record<string, Json>> = {
  [CHAT]: { messages: HELLO, max_tokens: 4_000 },
  [RESPONSES]: { input: "Hello there, gateway", max_output_tokens: 4_000 },
  [MESSAGES]: { messages: HELLO, max_tokens: 4_000 },
}
const FACE_SEARCH: Readonly<Record<string, Json>> = {
  [CHAT]: { web_search_options: {} },
  [RESPONSES]: { tools: [{ type: "web_search" }] },
  [MESSAGES]: { tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 10 }] },
}

/** Returns a deterministic random number generator. */
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** The variants of one kind of request. */
interface Kind {
  readonly model: string
  readonly paths: readonly string[]
  /** Classes that may occur in addition to input and output. */
  readonly classes?: readonly (keyof Used)[]
  /** The request fields for each tier that the provider reports. `both` stands for fast and in the US. */
  readonly tiers?: Readonly<Record<string, Json>>
  /** Minimum number of tokens in a long prompt. */
  readonly long?: number
  /** The name of the fee for searches. */
  readonly search?: string
  readonly isChoosing?: boolean
}

const OPENAI_PATHS = [CHAT, RESPONSES]
const PRIORITY = { priority: { service_tier: "priority" } }
const FLEX = { flex: { service_tier: "flex" } }
const US = { us: { inference_geo: "us" } }
const CLAUDE = ["cached", "write", "write1h"] as const

const KINDS: readonly Kind[] = [
  {
    model: "openai/gpt-6.2-sol",
    paths: OPENAI_PATHS,
    classes: ["cached", "write", "write12h"],
    tiers: { ...PRIORITY, ultrafast: { service_tier: "ultrafast" } },
    long: 272_001,
  },
  {
    model: "openai/gpt-6-luna",
    paths: OPENAI_PATHS,
    classes: ["cached", "write"],
    tiers: { ...PRIORITY, ...FLEX },
    long: 272_001,
  },
  { model: "openai/gpt-5.6-luna", paths: [RESPONSES], classes: ["write"], search: "search" },
  {
    model: "openai/gpt-5.4",
    paths: OPENAI_PATHS,
    classes: ["cached"],
    tiers: { ...PRIORITY, ...FLEX },
    long: 272_001,
  },
  { model: "openai/gpt-5.5", paths: OPENAI_PATHS, classes: ["cached"], tiers: PRIORITY },
  {
    model: "openai/gpt-5-mini",
    paths: [CHAT],
    classes: ["cached"],
    tiers: PRIORITY,
    isChoosing: true,
  },
  {
    model: "anthropic/claude-opus-5",
    paths: [MESSAGES],
    classes: CLAUDE,
    tiers: { fast: { speed: "fast" }, ...US },
  },
  {
    model: "anthropic/claude-opus-5-5",
    paths: [MESSAGES],
    classes: CLAUDE,
    tiers: { fast: { speed: "fast" }, ...US, both: { speed: "fast", inference_geo: "us" } },
  },
  { model: "anthropic/claude-fable-5-1", paths: [MESSAGES], classes: CLAUDE, tiers: US },
  {
    model: "anthropic/claude-haiku-5-5",
    paths: [MESSAGES],
    classes: CLAUDE,
    tiers: US,
    long: 100_001,
    search: "search",
  },
  {
    model: "anthropic/claude-sonnet-4-6",
    paths: [MESSAGES],
    classes: CLAUDE,
    tiers: US,
  },
  { model: "anthropic/claude-sonnet-4-6", paths: [CHAT], classes: ["cached"] },
  { model: "deepseek/deepseek-flash", paths: [CHAT], classes: ["cached"] },
  { model: "deepseek/deepseek-v4-pro", paths: [CHAT], classes: ["cached"] },
  {
    model: "google/gemini-3.8-flash",
    paths: [CHAT],
    classes: ["cached", "audio"],
    tiers: FLEX,
    search: "search",
  },
  { model: "google/gemini-3.1-pro-preview", paths: [CHAT], long: 200_001, search: "search" },
  {
    model: "google/gemini-2.5-flash",
    paths: [CHAT],
    classes: ["cached", "audio"],
    tiers: { ...PRIORITY, ...FLEX },
    search: "groundedPrompt",
  },
  {
    model: "google/gemini-2.5-pro",
    paths: [CHAT],
    classes: ["cached"],
    tiers: { ...PRIORITY, ...FLEX },
    long: 200_001,
  },
  { model: "xai/grok-4.7", paths: OPENAI_PATHS, classes: ["cached"], long: 200_000 },
  { model: "groq/openai/gpt-oss-120b", paths: [CHAT] },
  { model: "groq/llama-3.3-70b-versatile", paths: [CHAT] },
  { model: "mistral/mistral-medium-latest", paths: [CHAT], classes: ["cached"] },
  { model: "mistral/zai-glm-5-3", paths: [CHAT], classes: ["cached"] },
]

/**
 * Returns the requests of a day in chronological order.
 * @param begin start of the day in Unix milliseconds.
 */
export function dayOfTraffic(begin: number, count: number, draw: (below: number) => number) {
  const each = 86_400_000 / count
  return Array.from({ length: count }, (_, index): Sent => {
    const at = Math.floor(begin + index * each)
    const number = draw(KINDS.length + 6)
    const kind = KINDS[number]
    return kind === undefined
      ? otherRequest(number - KINDS.length, at, draw)
      : sentOf(kind, at, draw)
  })
}

function sentOf(kind: Kind, at: number, draw: (below: number) => number): Sent {
  const { model, paths, classes = [], tiers = {}, long, search, isChoosing = false } = kind
  const path = paths[draw(paths.length)] ?? CHAT
  const used: Record<string, number | Record<string, number>> = {
    input: 1 + draw(5_000),
    output: 1 + draw(2_000),
  }
  for (const name of classes) if (draw(2) === 0) used[name] = 1 + draw(3_000)
  if (long !== undefined && draw(3) === 0) lengthen(used, classes, long, draw)
  const [tier, fields] = Object.entries(tiers)[draw(Object.keys(tiers).length * 2)] ?? []
  const searches = search !== undefined && draw(2) === 0 ? 1 + draw(4) : 0
  if (search !== undefined && searches > 0) {
    used["fees"] = { [search]: search === "groundedPrompt" ? 1 : searches }
  }
  const choices = isChoosing ? 1 + draw(3) : 1
  const stream = draw(2) === 0
  return {
    model,
    path,
    at,
    stream,
    choices,
    used: used as Used,
    ...(tier !== undefined && { tiers: tier === "both" ? ["fast", "us"] : [tier] }),
    body: {
      ...SAID[path],
      ...fields,
      ...(searches > 0 && FACE_SEARCH[path]),
      ...(choices > 1 && { n: choices }),
      stream,
    },
  }
}

/** Changes the length of a prompt to the lowest length with the higher price, to one token less, or to more. */
function lengthen(
  used: Record<string, number | Record<string, number>>,
  classes: readonly string[],
  long: number,
  draw: (below: number) => number,
): void {
  const others = classes.reduce((all, name) => all + Number(used[name] ?? 0), 0)
  const beyond = [-1, 0, draw(20_000)][draw(3)] ?? 0
  used["input"] = long + beyond - others
}

const SIZES = ["low", "medium", "high"] as const
const TRANSCRIBERS = [
  "openai/whisper-1",
  "openai/gpt-4o-transcribe",
  "openai/gpt-4o-mini-transcribe",
  "groq/whisper-large-v3",
]
const SONARS = ["sonar", "sonar-pro", "sonar-reasoning-pro"]

/** Returns a request to Perplexity, or a request other than chat. */
function otherRequest(number: number, at: number, draw: (below: number) => number): Sent {
  const stream = false
  const input = 1 + draw(2_000)
  switch (number) {
    case 0: {
      const size = SIZES[draw(3)] ?? "low"
      const used = { input, output: 1 + draw(900), fees: { [size]: 1 } }
      const body = { ...SAID[CHAT], web_search_options: { search_context_size: size } }
      const model = `perplexity/${SONARS[draw(3)]}`
      return { model, path: CHAT, at, stream: draw(2) === 0, used, body }
    }
    case 1: {
      const [cited, reasoning, searches] = [draw(9_000), draw(9_000), 1 + draw(20)]
      return {
        model: "perplexity/sonar-deep-research",
        path: CHAT,
        at,
        stream,
        used: { input: input + cited, output: 100, reasoning, fees: { search: searches } },
        said: {
          prompt_tokens: input,
          total_tokens: input + 100,
          citation_tokens: cited,
          reasoning_tokens: reasoning,
          num_search_queries: searches,
        },
        body: SAID[CHAT] ?? {},
      }
    }
    case 2: {
      const text = "x ".repeat(2 + draw(900))
      const model = "openai/text-embedding-3-small"
      const used = { input: 1 + draw(text.length / 2) }
      return { model, path: "/v1/embeddings", at, stream, used, body: { input: text } }
    }
    case 3: {
      const used = { input: 1 + draw(20), output: 100 + draw(900) }
      const body = { prompt: "An owl in the rain at night", size: "1024x1024", quality: "low" }
      const model = "openai/gpt-image-1-mini"
      return { model, path: "/v1/images/generations", at, stream, used, body }
    }
    case 4: {
      const characters = 1 + draw(900)
      const body = { input: "a".repeat(characters), voice: "alloy" }
      return {
        model: "openai/tts-1",
        path: "/v1/audio/speech",
        at,
        stream,
        used: { characters },
        body,
      }
    }
    default: {
      const model = TRANSCRIBERS[draw(TRANSCRIBERS.length)] ?? ""
      const used = model.includes("gpt")
        ? { audio: 1 + draw(600), output: 1 + draw(300) }
        : { seconds: 1 + draw(59) }
      return { model, path: "/v1/audio/transcriptions", at, stream, used, body: {} }
    }
  }
}

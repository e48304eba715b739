/** Responses in the format of each provider, with a given usage. */
import { completion, framesOf, message, response } from "../relay/billable-frames.ts"
import { streamed } from "../relay/scripted-vendor.ts"
import type { Served } from "./charge-oracle.ts"

type Json = Record<string, unknown>

const sum = (...counts: readonly (number | undefined)[]): number =>
  counts.reduce<number>((all, count = 0) => all + count, 0)
const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** A request to a provider, with the content of its response. */
export interface Scripted extends Served {
  readonly stream: boolean
  /** Number of requested choices. */
  readonly choices?: number
  /** Members of the response that do not affect the price, such as search queries. */
  readonly said?: Json
}

/** Returns the response to a request to a path. */
export function responseTo(path: string, scripted: Scripted): Response {
  const { used, stream } = scripted
  if (path.endsWith("/embeddings")) return Response.json(vectors(sum(used.input)))
  if (path.endsWith("/speech")) return new Response(new Uint8Array(2_000))
  if (path.endsWith("/transcriptions")) return Response.json(transcript(scripted))
  if (path.endsWith("/images/generations")) return Response.json(images(scripted))
  if (path.includes("generateContent")) return Response.json(gemini(scripted))
  if (path.includes("streamGenerateContent")) {
    const { usageMetadata: _, ...first } = gemini(scripted)
    const last = { candidates: [{ index: 0, finishReason: "STOP" }], ...withoutContent(scripted) }
    return streamed([first, last].map((frame) => `data: ${JSON.stringify(frame)}\n\n`))
  }
  const answer = path.endsWith("/messages")
    ? claude(scripted)
    : path.endsWith("/responses")
      ? openAiResponse(scripted)
      : chat(scripted)
  return stream ? streamed(framesOf(path, answer)) : Response.json(answer)
}

/** Returns the input classes in OpenAI's formats, which are part of the prompt tokens. */
function openAiDetails({ used }: Scripted): Json {
  const { cached, audio, write = 0, write12h = 0 } = used
  return {
    cached_tokens: cached ?? 0,
    ...(audio !== undefined && { audio_tokens: audio }),
    ...(write + write12h > 0 && {
      cache_write_tokens: write + write12h,
      cache_write_tokens_details: { ttl_30m_tokens: write, ttl_12h_tokens: write12h },
    }),
  }
}

const promptOf = ({ used }: Scripted): number =>
  sum(used.input, used.cached, used.write, used.write12h, used.audio, used.image)

/** Returns the tier that OpenAI reports. */
const openAiTier = ({ model, tiers = [] }: Scripted): Json =>
  model.startsWith("openai/") ? { service_tier: tiers[0] ?? "default" } : {}

function chat(scripted: Scripted): Json {
  const { model, used, choices = 1, said } = scripted
  const prompt = promptOf(scripted)
  const { output = 0, cached = 0, fees = {} } = used
  const provider = model.slice(0, model.indexOf("/"))
  const read =
    provider === "deepseek"
      ? { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: prompt - cached }
      : { prompt_tokens_details: openAiDetails(scripted) }
  const size = ["low", "medium", "high"].find((name) => fees[name] !== undefined)
  const one = completion({}, {})["choices"] as Json[]
  return completion(
    {
      ...openAiTier(scripted),
      choices: many(choices, (index) => ({ ...one[0], index })),
    },
    {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: prompt + output,
      ...read,
      ...(size !== undefined && { search_context_size: size }),
      ...said,
    },
  )
}

function openAiResponse(scripted: Scripted): Json {
  const { used, said } = scripted
  const prompt = promptOf(scripted)
  const searches = many(used.fees?.["search"] ?? 0, (index) => ({
    type: "web_search_call",
    id: `ws_${index}`,
    status: "completed",
    action: { type: "search", query: `query ${index}` },
  }))
  return response(searches, {
    ...openAiTier(scripted),
    usage: {
      input_tokens: prompt,
      input_tokens_details: openAiDetails(scripted),
      output_tokens: used.output ?? 0,
      total_tokens: prompt + (used.output ?? 0),
    },
    ...said,
  })
}

function claude({ used, tiers = [] }: Scripted): Json {
  const { write = 0, write1h = 0, fees = {} } = used
  return message([], {
    input_tokens: used.input ?? 0,
    cache_creation_input_tokens: write + write1h,
    cache_creation: { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: write1h },
    cache_read_input_tokens: used.cached ?? 0,
    output_tokens: used.output ?? 0,
    speed: tiers.includes("fast") ? "fast" : "standard",
    inference_geo: tiers.includes("us") ? "us" : "global",
    ...(fees["search"] !== undefined && {
      server_tool_use: { web_search_requests: fees["search"] },
    }),
  })
}

function withoutContent({ used, tiers = [] }: Scripted): Json {
  const { input = 0, cached = 0, audio = 0, output = 0 } = used
  const prompt = input + cached + audio
  return {
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: output,
      totalTokenCount: prompt + output,
      ...(cached > 0 && { cachedContentTokenCount: cached }),
      ...(audio > 0 && {
        promptTokensDetails: [
          { modality: "TEXT", tokenCount: input + cached },
          { modality: "AUDIO", tokenCount: audio },
        ],
      }),
      ...(tiers.length > 0 && { serviceTier: tiers[0] }),
    },
    modelVersion: "up",
    responseId: "r_1",
  }
}

function gemini(scripted: Scripted): Json {
  const { used, said } = scripted
  const searches = used.fees?.["search"] ?? (used.fees?.["groundedPrompt"] === undefined ? 0 : 3)
  const grounding = {
    webSearchQueries: many(searches, (index) => `query ${index}`),
    groundingChunks: [{ web: { uri: "https://example.com/owls", title: "Owls" } }],
    groundingSupports: [],
  }
  return {
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: [{ text: "Hello" }] },
        finishReason: "STOP",
        ...(searches > 0 && { groundingMetadata: grounding }),
        ...said,
      },
    ],
    ...withoutContent(scripted),
  }
}

function vectors(tokens: number): Json {
  const data = [{ object: "embedding", index: 0, embedding: [0.5, 0.25] }]
  return {
    object: "list",
    model: "up",
    data,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

function transcript({ used }: Scripted): Json {
  const { seconds, audio = 0, output = 0 } = used
  if (seconds === undefined) {
    return {
      text: "Hello",
      usage: {
        type: "tokens",
        input_tokens: audio,
        input_token_details: { audio_tokens: audio, text_tokens: 0 },
        output_tokens: output,
        total_tokens: audio + output,
      },
    }
  }
  return {
    task: "transcribe",
    language: "english",
    duration: seconds,
    text: "Hello",
    segments: [{ id: 0, start: 0, end: seconds, text: "Hello" }],
    usage: { type: "duration", seconds },
  }
}

function images({ used }: Scripted): Json {
  const { input = 0, image = 0, output = 0 } = used
  return {
    created: 1,
    data: [{ b64_json: "iVBORw0KGgo=" }],
    usage: {
      input_tokens: input + image,
      input_tokens_details: { text_tokens: input, image_tokens: image },
      output_tokens: output,
      total_tokens: input + image + output,
    },
  }
}

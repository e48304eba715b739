import type { JsonObject } from "../../src/canon/json.ts"
import {
  chunk,
  delta,
  DONE,
  FINISH,
  frames,
  HELLO,
  ROLE,
  USAGE,
  USAGE_CHUNK,
  WORLD,
  type Written,
} from "./written-streams.ts"

/** Unusual streams that are described in docs/contribute/wire. Each of them is valid. */
export interface Trap extends Written {
  /** The chunks for a caller that requested usage. The test adds the cost to the last usage. */
  readonly asked: readonly JsonObject[]
  /** The chunks for a caller that did not request usage. */
  readonly unasked: readonly JsonObject[]
  /** The usage that is billed. */
  readonly usage?: JsonObject
}

export const PLAIN = [ROLE, HELLO, WORLD, FINISH]
const NULL_USAGE = PLAIN.map((each) => ({ ...each, usage: null }))
const UNCOUNTED = [
  delta({ role: "assistant", content: "one" }),
  delta({ content: "two" }),
  delta({}, "stop"),
]
const COUNTING = UNCOUNTED.map((each, index) => ({
  ...each,
  usage: { ...USAGE, completion_tokens: 3 + index, total_tokens: 23 + index },
}))

const SPARSE = [
  chunk({ choices: [{ index: 0, delta: { role: "assistant" } }] }),
  chunk({ choices: [{ index: 0, delta: { content: "Hello" } }] }),
  chunk({ choices: [{ index: 0, finish_reason: "stop" }] }),
]

const UNSPARSE = [
  ...SPARSE.slice(0, 2),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
]

const CALLS = [
  delta({ role: "assistant", content: null }),
  delta({ tool_calls: [call(0, "call_a", "weather"), call(1, "call_b", "clock")] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
  delta({ tool_calls: [{ index: 1, function: { arguments: "{}" } }] }),
  delta({ tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] }),
  delta({}, "tool_calls"),
]

function call(index: number, id: string, name: string): JsonObject {
  return { index, id, type: "function", function: { name, arguments: "" } }
}

const CLOCK = { id: "abcdefghi", function: { name: "clock", arguments: "{}" } }
const BARE_CALL = delta({ tool_calls: [CLOCK] })
const WHOLE_CALL = delta({
  role: "assistant",
  tool_calls: [{ index: 0, type: "function", ...CLOCK }],
})
const CALLED = delta({}, "tool_calls")

const GROQ_END = { ...FINISH, x_groq: { id: "req_1", usage: USAGE } }
const AZURE_FIRST = {
  choices: [],
  created: 0,
  id: "",
  model: "",
  object: "",
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
}

const XAI_USAGE = {
  prompt_tokens: 307,
  completion_tokens: 26,
  total_tokens: 560,
  prompt_tokens_details: { cached_tokens: 306 },
  completion_tokens_details: { reasoning_tokens: 227 },
}
const CLAMPED_USAGE = {
  prompt_tokens: 7,
  completion_tokens: 5,
  total_tokens: 12,
  prompt_tokens_details: { cached_tokens: 163 },
}

export const TRAPS: readonly Trap[] = [
  {
    name: "parallel tool calls, named only once",
    body: frames(...CALLS, USAGE_CHUNK, DONE),
    asked: [...CALLS, USAGE_CHUNK],
    unasked: CALLS,
  },
  {
    name: "usage is null until the last chunk",
    vendor: "openai",
    body: frames(...NULL_USAGE, USAGE_CHUNK, DONE),
    asked: [...NULL_USAGE, USAGE_CHUNK],
    unasked: PLAIN,
  },
  {
    name: "xAI counts reasoning outside the completion",
    vendor: "xai",
    body: frames(...PLAIN, chunk({ choices: [], usage: XAI_USAGE }), DONE),
    asked: [...PLAIN, chunk({ choices: [], usage: { ...XAI_USAGE, completion_tokens: 253 } })],
    unasked: PLAIN,
    usage: XAI_USAGE,
  },
  {
    name: "more cached tokens than prompt",
    body: frames(...PLAIN, chunk({ choices: [], usage: CLAMPED_USAGE }), DONE),
    asked: [...PLAIN, chunk({ choices: [], usage: CLAMPED_USAGE })],
    unasked: PLAIN,
    usage: CLAMPED_USAGE,
  },
  {
    name: "CRLF",
    body: frames(...PLAIN, USAGE_CHUNK, DONE).replaceAll("\n", "\r\n"),
    asked: [...PLAIN, USAGE_CHUNK],
    unasked: PLAIN,
  },
  {
    name: "data before event, and fields without a space",
    body: frames(...PLAIN, USAGE_CHUNK, DONE)
      .replaceAll("data: {", "data:{")
      .replaceAll("}\n\n", "}\nevent: completion\nid: 1\n\n"),
    asked: [...PLAIN, USAGE_CHUNK],
    unasked: PLAIN,
  },
  {
    name: "OpenRouter's comments",
    vendor: "openrouter",
    body: frames(
      ": OPENROUTER PROCESSING\n\n",
      ROLE,
      ":\n",
      HELLO,
      ": x\n\n",
      WORLD,
      FINISH,
    ).concat(frames(USAGE_CHUNK, DONE)),
    asked: [...PLAIN, USAGE_CHUNK],
    unasked: PLAIN,
  },
  {
    name: "Azure's first chunk has no choices, no id and no model",
    body: frames(AZURE_FIRST, ...PLAIN, USAGE_CHUNK, DONE),
    asked: [...PLAIN, USAGE_CHUNK],
    unasked: PLAIN,
  },
  {
    name: "keepalive and ping frames",
    body: frames({ type: "keepalive" }, ROLE, HELLO, { type: "ping" }, WORLD, FINISH).concat(
      frames({ type: "ping" }, USAGE_CHUNK, "data:\n\n", { type: "ping" }, DONE),
    ),
    asked: [...PLAIN, USAGE_CHUNK],
    unasked: PLAIN,
  },
  {
    name: "Mistral's tool calls without index and type",
    vendor: "mistral",
    body: frames(BARE_CALL, { ...CALLED, usage: USAGE }, DONE),
    asked: [WHOLE_CALL, { ...CALLED, usage: USAGE }],
    unasked: [WHOLE_CALL, CALLED],
  },
  {
    name: "xAI omits members",
    vendor: "xai",
    body: frames(...SPARSE, USAGE_CHUNK, DONE),
    asked: [...UNSPARSE, USAGE_CHUNK],
    unasked: UNSPARSE,
  },
  {
    name: "section 7: Perplexity counts along in every chunk",
    vendor: "perplexity",
    body: frames(...COUNTING, DONE),
    asked: COUNTING,
    unasked: UNCOUNTED,
  },
  {
    name: "section 7: Groq's usage in its own field",
    vendor: "groq",
    body: frames(ROLE, HELLO, GROQ_END, DONE),
    asked: [ROLE, HELLO, { ...GROQ_END, usage: USAGE }],
    unasked: [ROLE, HELLO, GROQ_END],
  },
  {
    name: "section 7: Groq's usage in both places",
    vendor: "groq",
    body: frames(ROLE, HELLO, GROQ_END, USAGE_CHUNK, DONE),
    asked: [ROLE, HELLO, { ...GROQ_END, usage: USAGE }, USAGE_CHUNK],
    unasked: [ROLE, HELLO, GROQ_END],
  },
  {
    name: "no [DONE] after the finish: it is supplied",
    body: frames(...PLAIN, USAGE_CHUNK),
    asked: [...PLAIN, USAGE_CHUNK],
    unasked: PLAIN,
  },
  {
    name: "the last frame has no empty line behind it",
    body: frames(...PLAIN, USAGE_CHUNK, DONE).trimEnd(),
    asked: [...PLAIN, USAGE_CHUNK],
    unasked: PLAIN,
  },
]

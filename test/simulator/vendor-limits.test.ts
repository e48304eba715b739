import { afterAll, beforeAll, expect, test } from "bun:test"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import { VENDOR_LIMITS } from "../../simulator/vendor-limits/index.ts"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

interface Rejected {
  readonly status: number
  readonly error: unknown
}

async function ask(vendor: string, body: object, path = "/v1/chat/completions"): Promise<Rejected> {
  const response = await fetch(`${simulator.url}/vendors/${vendor}${path}`, {
    method: "POST",
    headers: { authorization: "Bearer key", "anthropic-version": "2023-06-01" },
    body: JSON.stringify(body),
  })
  return { status: response.status, error: await response.json() }
}

const messages = [{ role: "user", content: "Hello" }]
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }]
const required = { tools, tool_choice: "required" }

/** A rejected request of each vendor, and the error in the vendor's own form. */
const REJECTIONS: readonly (readonly [
  vendor: string,
  body: object,
  status: number,
  error: object,
])[] = [
  [
    "openai",
    { model: "o4-mini", max_tokens: 5 },
    400,
    {
      error: { param: "max_tokens", code: "unsupported_parameter", type: "invalid_request_error" },
    },
  ],
  [
    "azure",
    { model: "gpt-5.6-terra", tools },
    400,
    { error: { message: expect.stringContaining("/v1/chat/completions"), code: null } },
  ],
  [
    "groq",
    { model: "llama-3.1-8b-instant", store: true },
    400,
    { error: { message: "property 'store' is unsupported" } },
  ],
  [
    "mistral",
    { model: "mistral-large-latest", user: "someone" },
    422,
    { object: "error", message: { detail: [{ type: "extra_forbidden", loc: ["body", "user"] }] } },
  ],
  [
    "xai",
    { model: "grok-4", presence_penalty: 0 },
    400,
    { code: expect.any(String), error: "Model grok-4 does not support parameter presencePenalty." },
  ],
  [
    "deepseek",
    { model: "deepseek-v4-pro", ...required },
    400,
    { error: { message: "Thinking mode does not support this tool_choice" } },
  ],
  [
    "alibaba",
    { model: "qwen3.6-plus", ...required },
    400,
    {
      error: {
        message: expect.stringMatching(/^<400> InternalError/),
        code: "invalid_parameter_error",
      },
    },
  ],
  [
    "moonshot",
    { model: "kimi-k2.6", temperature: 0.3 },
    400,
    { error: { message: "invalid temperature: only 1 is allowed for this model" } },
  ],
  ["zai", { model: "glm-4.6", ...required }, 400, { error: { code: "1210" } }],
  [
    "perplexity",
    { model: "sonar", messages: [...messages, ...messages] },
    400,
    { error: { type: "invalid_message", code: 400 } },
  ],
  ["cerebras", { model: "gpt-oss-120b", presence_penalty: 1 }, 400, { code: "wrong_api_format" }],
  ["fireworks", { model: "any", store: true }, 400, { error: { object: "error" } }],
  [
    "nvidia",
    { model: "any", verbosity: "low" },
    400,
    { title: "Bad Request", detail: expect.any(String) },
  ],
  ["openrouter", { model: "any", user: "u".repeat(129) }, 400, { error: { code: 400 } }],
]

test.each(REJECTIONS)(
  "the simulator of %s rejects values beyond the vendor's limits in the vendor's error format",
  async (vendor, body, status, error) => {
    for (const stream of [false, true]) {
      expect(await ask(vendor, { messages, ...body, stream })).toMatchObject({ status, error })
    }
  },
)

test("the simulator checks no vendor limits if the path names no vendor", async () => {
  const response = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer key" },
    body: JSON.stringify({ model: "echo", messages, user: "u".repeat(100) }),
  })
  expect(response.status).toBe(200)
})

test("the simulator returns the requested model name", async () => {
  const { status, error } = await ask("moonshot", { model: "kimi-k2.6", messages, temperature: 1 })
  expect([status, error]).toEqual([200, expect.objectContaining({ model: "kimi-k2.6" })])
})

test("every simulated limit has a source, a vendor and a check", () => {
  for (const { source, vendors, checks } of VENDOR_LIMITS) {
    expect([source, vendors.length > 0, checks.length > 0]).toEqual([
      expect.stringMatching(/\w{3}/),
      true,
      true,
    ])
  }
})

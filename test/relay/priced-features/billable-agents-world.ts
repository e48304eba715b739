/** The gateway and the agents' requests for tests of features that are billed in addition to tokens. */
import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { respond } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"

export type Json = Record<string, unknown>

export const MESSAGES = "/v1/messages"
export const RESPONSES = "/v1/responses"

export let gateway: TestGateway
export let vendor: ScriptedVendor
/** Returns the vendor's next response. */
export const vendorDoes: { response: (body: Json) => Response } = {
  response: () => new Response(null, { status: 500 }),
}

export async function setUp(): Promise<void> {
  vendor = startVendor((_, number) => vendorDoes.response(vendor.bodies[number - 1] ?? {}))
  const bare = vendor.url.replace(/\/v1$/, "")
  const known = (id: string, baseUrl = vendor.url): ProviderSettings => ({
    ...provider(baseUrl, id),
    knownModels: true,
  })
  const models: Record<string, ModelSettings> = {
    // Three vendors of one model. Only the searches of the first vendor have a price.
    "mixed/searching": simulated({
      deployments: [
        { provider: "unpriced", model: "up", weight: 1 },
        { provider: "openai", model: "up", weight: 1 },
      ],
    }),
    "claude/plain": simulated({ deployments: [{ provider: "anthropic", model: "up", weight: 1 }] }),
    "gpt/plain": simulated({ deployments: [{ provider: "openai", model: "up", weight: 1 }] }),
    "gemini/plain": simulated({ deployments: [{ provider: "google", model: "up", weight: 1 }] }),
  }
  gateway = await startGateway({
    providers: {
      openai: { ...known("openai"), dialects: ["openai-responses"] },
      anthropic: known("anthropic", bare),
      google: { ...provider(bare, "google") },
      unpriced: { ...provider(vendor.url, "azure"), dialects: ["openai-responses"] },
    },
    models,
  })
}

export async function tearDown(): Promise<void> {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
}

export const whenAsked = (path: string, whole: Json): void => {
  vendorDoes.response = (body) => respond(path, body, whole)
}

/** Fields that Codex sends with every turn. */
export const CODEX: Json = {
  model: "openai/gpt-5.4",
  instructions: "You are a coding agent.",
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }],
  tools: [
    { type: "function", name: "exec_command", parameters: { type: "object", properties: {} } },
    {
      type: "custom",
      name: "apply_patch",
      format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
    },
    { type: "web_search", external_web_access: true },
    { type: "local_shell" },
    {
      type: "namespace",
      name: "agents",
      tools: [{ type: "function", name: "spawn_agent", parameters: { type: "object" } }],
    },
  ],
  tool_choice: "auto",
  parallel_tool_calls: false,
  reasoning: { effort: "medium", summary: "auto" },
  store: false,
  stream: true,
  include: ["reasoning.encrypted_content"],
  prompt_cache_key: "0199-aaaa",
  client_metadata: { "x-codex-turn": "1" },
  text: { verbosity: "low" },
}

/** Fields that Claude Code sends with every turn and with a search. */
export const CLAUDE_CODE: Json = {
  model: "anthropic/claude-opus-4-8",
  max_tokens: 1_000,
  stream: true,
  system: [{ type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } }],
  messages: [
    {
      role: "user",
      content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }],
    },
  ],
  tools: [
    { name: "Bash", description: "Runs", input_schema: { type: "object" } },
    { type: "web_search_20250305", name: "web_search", max_uses: 8 },
  ],
  metadata: { user_id: "user_1" },
  thinking: { type: "adaptive" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high" },
}

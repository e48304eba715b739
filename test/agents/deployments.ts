import type { ProviderSettings } from "../../src/config/settings.ts"
import { startGateway, type TestGateway } from "../support/gateway.ts"

/** A model that the agents call: it has the rules of its name at its vendor, and the simulator acts as it. */
export interface AgentModel {
  /** `<vendor>/<model>`, as the agents name it. */
  readonly id: string
  readonly vendor: string
  /** The vendor's own name for it. */
  readonly model: string
  /** The format in which the gateway calls it, for the table. */
  readonly format: string
}

/** The models, in the order in which a session is switched from one to the next. */
export const AGENT_MODELS: readonly AgentModel[] = [
  { vendor: "openai", model: "gpt-5.6", format: "OpenAI responses" },
  { vendor: "anthropic", model: "claude-opus-4-8", format: "Anthropic" },
  { vendor: "deepseek", model: "deepseek-v4-pro", format: "OpenAI chat" },
  { vendor: "google", model: "gemini-3.6-flash", format: "Gemini" },
  { vendor: "openai", model: "o4-mini", format: "OpenAI chat" },
  { vendor: "bedrock", model: "anthropic.claude-opus-4-8", format: "Bedrock" },
  { vendor: "mistral", model: "mistral-large-2512", format: "OpenAI chat" },
  { vendor: "cohere", model: "command-a-reasoning-08-2025", format: "Cohere" },
  { vendor: "moonshot", model: "kimi-k2.6", format: "OpenAI chat" },
  { vendor: "xai", model: "grok-4.3", format: "OpenAI chat" },
  { vendor: "zai", model: "glm-5.2", format: "OpenAI chat" },
  { vendor: "alibaba", model: "qwen3.6-plus", format: "OpenAI chat" },
].map((one) => ({ ...one, id: `${one.vendor}/${one.model}` }))

/** Vendors whose base address does not contain a version. */
const WITHOUT_VERSION = new Set(["anthropic", "bedrock", "cohere", "google"])

/** A gateway for all of them. The simulator acts as each vendor, with the rejections of its models. */
export function startAgentGateway(): Promise<TestGateway> {
  return startGateway({
    providersAt: (url) =>
      Object.fromEntries(AGENT_MODELS.map(({ vendor }) => [vendor, providerAt(url, vendor)])),
    models: Object.fromEntries(
      AGENT_MODELS.map(({ id, vendor, model }) => [
        id,
        {
          kind: "chat",
          price: { input: "1", output: "2" },
          context: 200_000,
          maxOutput: 32_000,
          deployments: [{ provider: vendor, model, weight: 1 }],
        },
      ]),
    ),
  })
}

function providerAt(simulatorUrl: string, vendor: string): ProviderSettings {
  return {
    vendor,
    baseUrl: `${simulatorUrl}/vendors/${vendor}${WITHOUT_VERSION.has(vendor) ? "" : "/v1"}`,
    headers: {},
    knownModels: false,
    origin: "file",
    // The simulator's Responses API is OpenAI's: DeepSeek takes the text of reasoning there, OpenAI its signature.
    ...(vendor === "deepseek" && { dialects: ["openai-chat"] }),
    ...(vendor === "bedrock"
      ? {
          accessKeyId: "AKIDSIMULATOR",
          secretAccessKey: "simulator-secret",
          region: "us-east-1",
        }
      : { apiKey: "key" }),
  }
}

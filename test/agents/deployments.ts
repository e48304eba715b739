import type { ProviderSettings } from "../../src/config/settings.ts"
import { startGateway, type TestGateway } from "../support/gateway.ts"

/**
 * A model that the agents call. It has the rules for its name at its vendor, and the simulator answers as that vendor.
 */
export interface AgentModel {
  /** The name that agents use: `<vendor>/<model>`. */
  readonly id: string
  readonly vendor: string
  /** The vendor's own name for the model. */
  readonly model: string
  /** The format in which the gateway calls the model, for the results table. */
  readonly format: string
}

/** The models, in the order in which a session switches between them. */
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

/** Vendors whose base URL does not contain a version. */
const WITHOUT_VERSION = new Set(["anthropic", "bedrock", "cohere", "google"])

/** Starts a gateway for all models. The simulator answers as each vendor, and rejects requests as the vendors do. */
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
    // In the responses format, the simulator behaves like OpenAI, which requires the signature of reasoning. DeepSeek
    // takes the text of the reasoning.
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

import type { ModelSettings, ProviderSettings, ServicePriceSettings, Settings } from "./settings.ts"

/** The simulator's chat model, priced like a small model so that charges are visible. */
const ECHO: ModelSettings = {
  kind: "chat",
  price: { input: "0.15", cached_input: "0.075", cache_write: "0.1875", output: "0.60" },
  context: 128_000,
  maxOutput: 16_384,
  ownedBy: "tollgate",
}

/** The simulator's operations other than chat, each as a model with its name. */
const OPERATIONS: Readonly<Record<string, ModelSettings>> = {
  embed: { kind: "embedding", price: { input: "0.02" }, ownedBy: "tollgate" },
  rerank: { kind: "rerank", price: { search: "2000" }, ownedBy: "tollgate" },
  moderate: { kind: "moderation", price: { input: "0" }, ownedBy: "tollgate" },
  speech: {
    kind: "speech",
    price: { character: "15" },
    ownedBy: "tollgate",
    deployments: [{ provider: "sandbox", model: "tts-1", weight: 1 }],
  },
  transcribe: {
    kind: "transcription",
    price: { second: "100" },
    ownedBy: "tollgate",
    deployments: [{ provider: "sandbox", model: "whisper-1", weight: 1 }],
  },
  image: {
    kind: "image",
    price: { image: "40000", images: { low: "10000", high: "160000", "1024x1024": "40000" } },
    ownedBy: "tollgate",
    deployments: [{ provider: "sandbox", model: "gpt-image-1", weight: 1 }],
  },
}

/** The simulator accepts any key. */
const KEY = "sandbox"

/** The simulator's prices for services other than tokens. No vendor's prices apply to the simulator. */
const PRICES: ServicePriceSettings = { search: "10000", modes: { priority: "2", flex: "0.5" } }

/** Faults of the simulator that are offered as models, so that operators can rehearse failures. */
const FAULTS = ["429", "500", "slow-first-byte", "stall", "cut", "malformed", "no-usage"]

/**
 * For each other dialect, the simulator's model and provider settings. Only Bedrock signs requests instead of using a
 * key.
 */
const DIALECTS: Readonly<Record<string, (simulatorUrl: string) => SandboxSettings>> = {
  gpt: (url) => ({
    vendor: "openai",
    apiKey: KEY,
    baseUrl: `${url}/v1`,
    dialects: ["openai-responses"],
  }),
  claude: (url) => ({ vendor: "anthropic", apiKey: KEY, baseUrl: url }),
  gemini: (url) => ({ vendor: "google", apiKey: KEY, baseUrl: url }),
  command: (url) => ({ vendor: "cohere", apiKey: KEY, baseUrl: url }),
  nova: (url) => ({
    vendor: "bedrock",
    accessKeyId: "AKIDSIMULATOR",
    secretAccessKey: "simulator-secret",
    region: "us-east-1",
    baseUrl: url,
  }),
}

/** Upstream names. They determine a model's capabilities. */
const UPSTREAM_NAMES: Readonly<Record<string, string>> = { nova: "amazon.nova-pro-v1:0" }

type SandboxSettings = Omit<ProviderSettings, "headers" | "knownModels" | "origin">

/**
 * Adds the running simulator to the settings: the provider `sandbox`, and one provider for each other dialect. Settings
 * of its models take precedence field by field, as for known models.
 */
export function withSandbox(settings: Settings, simulatorUrl: string): Settings {
  const baseUrl = `${simulatorUrl}/v1`
  const providers: Record<string, ProviderSettings> = {
    sandbox: provider({ vendor: "openai-compatible", apiKey: KEY, baseUrl, prices: PRICES }),
  }
  const models: Record<string, ModelSettings> = { "sandbox/echo": ECHO }
  for (const [name, model] of Object.entries(OPERATIONS)) models[`sandbox/${name}`] = model
  for (const fault of FAULTS) models[`sandbox/fault-${fault}`] = ECHO
  for (const [name, settingsAt] of Object.entries(DIALECTS)) {
    const id = `sandbox-${name}`
    providers[id] = provider(settingsAt(simulatorUrl))
    models[`sandbox/${name}`] = {
      ...ECHO,
      deployments: [{ provider: id, model: UPSTREAM_NAMES[name] ?? "echo", weight: 1 }],
    }
  }
  for (const [id, own] of Object.entries(settings.models)) models[id] = { ...models[id], ...own }
  return { ...settings, providers: { ...settings.providers, ...providers }, models }
}

function provider(settings: SandboxSettings): ProviderSettings {
  return { ...settings, headers: {}, knownModels: false, origin: "sandbox" }
}

import type { ModelSettings, Settings } from "./settings.ts"

/** The simulator as a vendor: what it offers, priced like a small model so that money can be watched. */
const ECHO: ModelSettings = {
  kind: "chat",
  price: { input: "0.15", cached_input: "0.075", output: "0.60" },
  context: 128_000,
  maxOutput: 16_384,
  ownedBy: "tollgate",
}

/** Faults of the simulator that are offered as models, to rehearse them before callers meet them. */
const FAULTS = ["429", "500", "slow-first-byte", "stall", "cut", "malformed", "no-usage"]

/** The settings with the running simulator added as provider `sandbox`. */
export function withSandbox(settings: Settings, simulatorUrl: string): Settings {
  const models: Record<string, ModelSettings> = { "sandbox/echo": ECHO }
  for (const fault of FAULTS) models[`sandbox/fault-${fault}`] = ECHO
  return {
    ...settings,
    providers: {
      ...settings.providers,
      sandbox: {
        vendor: "openai-compatible",
        apiKey: "sandbox",
        baseUrl: `${simulatorUrl}/v1`,
        headers: {},
        knownModels: false,
        origin: "sandbox",
      },
    },
    models: { ...models, ...settings.models },
  }
}

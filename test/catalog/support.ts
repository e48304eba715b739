import type { DialectId } from "../../src/canon/extra.ts"
import { buildCatalog, type BuiltCatalog } from "../../src/catalog/build-catalog.ts"
import type { KnownVendor } from "../../src/catalog/dialects.ts"
import type { Facts } from "../../src/catalog/facts.ts"
import type { ModelSettings, ProviderSettings, Settings } from "../../src/config/settings.ts"
import { DEFAULTS } from "../support/settings.ts"

export const facts: Facts = {
  generated_from: [
    { name: "older", date: "2026-07-02" },
    { name: "newer", date: "2026-08-21" },
  ],
  vendors: {
    acme: {
      large: {
        kind: "chat",
        created: 1_700_000_000,
        owner: "acme labs",
        context: 128_000,
        max_output: 16_384,
        price: { input: "1.25", cached_input: "0.125", output: "10" },
      },
      small: { kind: "chat", price: { input: "0.1", output: "0.4" } },
      secret: { kind: "chat" },
      feed: { kind: "chat", price: { input: "1", output: "1", citation: "5000" } },
      heard: {
        kind: "chat",
        price: { input: "1", output: "2", audio_input: "4", cached_audio_input: "0.5" },
      },
      tiered: {
        kind: "chat",
        price: { input: "1", output: "2", tiers: [{ above: 1000, input: "3" }] },
      },
      vectors: { kind: "embedding", price: { input: "0.02" } },
      gift: { kind: "chat", price: { input: "0", output: "0" } },
    },
    other: { large: { kind: "chat", price: { input: "7", output: "8" } } },
  },
}

export function provider(vendor: string, knownModels = true): ProviderSettings {
  return { vendor, headers: {}, knownModels, origin: "file" }
}

export function settings(
  providers: Record<string, ProviderSettings>,
  models: Record<string, ModelSettings> = {},
  multiplier = "1",
): Settings {
  return {
    ...DEFAULTS,
    data: "/nowhere",
    multiplier,
    providers,
    models,
  }
}

function vendor(chat: readonly DialectId[], optionalDialects: readonly DialectId[]): KnownVendor {
  return { chat: chat.map((id) => ({ dialect: { id } })), optionalDialects }
}

/**
 * Vendors for tests: `acme` supports two dialects, `other` supports one, and for `free` the operator sets the dialects.
 */
export const vendors: ReadonlyMap<string, KnownVendor> = new Map([
  ["acme", vendor(["openai-chat", "openai-responses"], [])],
  ["other", vendor(["openai-chat"], [])],
  [
    "free",
    vendor(
      ["openai-chat", "openai-responses", "anthropic-messages"],
      ["openai-responses", "anthropic-messages"],
    ),
  ],
])

export function build(made: Settings): BuiltCatalog {
  return buildCatalog({ settings: made, facts, vendors })
}

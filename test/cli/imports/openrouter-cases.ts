import type { ImportCase } from "./run-import.ts"

type Keys = readonly Readonly<Record<string, unknown>>[]

/** Returns a key in the form of OpenRouter's list. */
function key(name: string, more: Readonly<Record<string, unknown>> = {}) {
  const hash = new Bun.CryptoHasher("sha256").update(name).digest("hex")
  return {
    hash,
    name,
    label: `sk-or-v1-${name.slice(0, 3)}...abc`,
    disabled: false,
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    include_byok_in_limit: false,
    usage: 25.5,
    usage_daily: 25.5,
    usage_weekly: 25.5,
    usage_monthly: 25.5,
    byok_usage: 17.38,
    created_at: "2025-08-24T10:30:00Z",
    updated_at: null,
    ...more,
  }
}

const SERVED = {
  providers: ["openrouter $OPENROUTER_API_KEY"],
  calls: { "openrouter/anthropic/claude-sonnet-4.5": "anthropic/claude-sonnet-4.5" },
}

/** Responses of OpenRouter's key list. `says` contains the number of created keys. */
export const OPENROUTER_CASES: readonly ImportCase<Keys>[] = [
  {
    ...SERVED,
    name: "one key without a limit",
    source: [key("main")],
    says: ["account openrouter: 1 keys", "key main: it gets a new secret"],
  },
  {
    ...SERVED,
    name: "limits in every period",
    source: [
      key("total", { limit: 100, limit_remaining: 74.5 }),
      key("daily", { limit: 5, limit_remaining: 1, limit_reset: "daily" }),
      key("weekly", { limit: 5, limit_remaining: 1, limit_reset: "weekly" }),
      key("monthly", { limit: 5, limit_remaining: 0, limit_reset: "monthly" }),
    ],
    says: ["account openrouter: 4 keys", "key weekly: its weekly limit becomes a monthly budget"],
  },
  {
    ...SERVED,
    name: "disabled and used up keys",
    source: [key("off", { disabled: true }), key("spent", { limit: 10, limit_remaining: 0 })],
    says: ["account openrouter: 2 keys"],
  },
  {
    ...SERVED,
    name: "keys that expire",
    source: [
      key("old", { expires_at: "2025-01-01T00:00:00Z" }),
      key("new", { expires_at: "2099-01-01T00:00:00.000000+00:00" }),
      key("odd", { expires_at: "soon" }),
    ],
    says: [
      "account openrouter: 1 keys",
      "key old: it expired at 2025-01-01",
      "key odd: 'expires_at'",
    ],
  },
  {
    ...SERVED,
    name: "keys of the same name",
    source: [key("ci"), key("ci", { hash: "f".repeat(64) })],
    says: ["account openrouter: 2 keys"],
  },
  {
    ...SERVED,
    name: "keys without a hash or a name",
    source: [key("nameless", { name: "" }), { label: "sk-or-v1-abc" }],
    says: ["account openrouter: 1 keys", "key sk-or-v1-abc: it has no 'hash'"],
  },
  {
    ...SERVED,
    name: "an empty list",
    source: [],
    says: ["account openrouter: 0 keys"],
  },
  {
    ...SERVED,
    name: "limits that are very small, very large or no numbers",
    source: [
      key("small", { limit: 1e-9, limit_remaining: 1e-9 }),
      key("large", { limit: 1e12, limit_remaining: 1e12 }),
      key("text", { limit: "10" }),
    ],
    says: ["account openrouter: 2 keys", "key large: 'budget'"],
  },
  {
    ...SERVED,
    name: "long names and line breaks",
    source: [key(`${"n".repeat(150)}`), key("two\nlines")],
    says: ["account openrouter: 2 keys"],
  },
  {
    ...SERVED,
    name: "members that are not carried over",
    source: [key("byok", { include_byok_in_limit: true, guardrail_id: "g1", external_user: null })],
    says: ["key byok: 'include_byok_in_limit'", "key byok: 'guardrail_id'"],
  },
]

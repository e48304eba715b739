import { known } from "./text.ts"

/**
 * Codes that are shown as words: states, results, kinds, roles and classes of usage. Codes of errors are missing,
 * because readers search for them in logs and documentation.
 */
export const CODES = [
  // States of accounts, keys, codes, users and deliveries.
  "active",
  "paused",
  "closed",
  "expired",
  "revoked",
  "used_up",
  "disabled",
  "pending",
  "delivered",
  // Kinds of ledger entries.
  "grant",
  "charge",
  "adjustment",
  "refund",
  "code",
  "payment",
  "reversal",
  "debt",
  // Results of requests, deployments and tests.
  "ok",
  "answered",
  "charged",
  "not_charged",
  "failed",
  "rejected",
  "written_off",
  "caller_disconnected",
  "warning",
  "healthy",
  "failing",
  "cooling_down",
  "no_recent_calls",
  "not_responding",
  "unavailable",
  "cheapest",
  "fastest",
  "no_price",
  // Changes of prices.
  "added",
  "removed",
  "increased",
  "decreased",
  // Periods.
  "day",
  "month",
  // Roles.
  "owner",
  "member",
  "viewer",
  "operator",
  // Kinds of models.
  "chat",
  "embedding",
  "image",
  "transcription",
  "speech",
  "rerank",
  "moderation",
  "group",
  // Handling of fields that a vendor does not support.
  "dropped",
  "approximated",
  "emulated",
  // Reasons of write-offs.
  "account_empty",
  "budget_empty",
  "usage_beyond_bound",
  "late",
  "unstorable",
  // Choices of settings.
  "reject",
  "family",
  "required",
  "optional",
  "specification",
  "provider",
  // Classes of usage.
  "input",
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "cache_write_12h",
  "output",
  "audio_input",
  "cached_audio_input",
  "image_input",
  "audio_output",
  "image_output",
  "reasoning_output",
  "character",
  "second",
  "search",
  "search_premium",
  "map_search",
  "file_search",
  "code_session",
  "request",
  "request_medium",
  "request_low",
] as const

/** Translates a code such as `used_up`. An unknown code is shown with spaces. */
export function word(code: string): string {
  return known(code.replaceAll("_", " "))
}

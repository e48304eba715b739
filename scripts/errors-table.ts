/**
 * Writes the table of errors in docs/use/errors.md from the table in the code. `npm run pages` writes
 * the file; a test compares it with the expected text.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ERROR_KINDS, type ErrorKind } from "../src/canon/errors.ts"

export const ERRORS_PAGE = join(import.meta.dir, "../docs/use/errors.md")

/** Describes when a caller receives each kind of error. */
const WHEN: Readonly<Record<ErrorKind, string>> = {
  missing_api_key: "the request has no key",
  invalid_api_key: "the key is wrong, revoked or expired",
  insufficient_credits: "the balance does not cover the request",
  key_budget_exceeded: "a budget of the key is used up",
  account_budget_exceeded: "a budget of the key's account is used up",
  label_budget_exceeded: "a budget of the request's end user or of one of its tags is used up",
  model_not_priced: "the model has no price",
  feature_not_priced:
    "the provider bills for a part of the request that has no price; `param` names it",
  idempotency_key_reused: "the `Idempotency-Key` was used for another request",
  credits_reserved: "the account has the credits, but its own running requests hold them",
  request_rate_exceeded: "too many requests per minute",
  concurrent_requests_exceeded:
    "the key, its account or the signed-in person has reached its limit of concurrent requests",
  token_rate_exceeded: "too many tokens per minute",
  model_not_allowed: "the key, or its account, may not call this model",
  key_paused: "the key is paused",
  key_read_only: "the key is read-only, and the request costs credits or changes something",
  address_not_allowed: "the key may not be used from the caller's address",
  account_paused: "the key's account is paused",
  account_closed: "the key's account is closed",
  model_not_found: "no model has this name; the message suggests the nearest name",
  model_not_supported: "the model does not support this endpoint",
  not_found: "the named object does not exist, or belongs to another account",
  not_signed_in: "the management API needs a session or the admin token",
  forbidden: "the role does not allow the request",
  conflict: "the object already exists, is in use, or is no longer stored",
  too_many_attempts: "too many wrong passwords, codes or tokens",
  method_not_allowed: "the path does not accept this method; `allow` lists the accepted ones",
  upgrade_not_supported: "WebSockets are not supported",
  invalid_json: "the body is not JSON",
  unsupported_media_type: "the content type or encoding is not supported",
  missing_required_parameter: "a field is missing; `param` names it",
  invalid_type: "a field has the wrong type",
  invalid_value: "a field has a value that is not allowed",
  below_min_value: "a number is too small",
  above_max_value: "a number is too large",
  string_above_max_length: "a string is too long",
  invalid_parameter_combination: "the request has fields that exclude each other",
  not_carried:
    "`x-tollgate-strict` is set and the request would lose a part, or it requires a tool call and the model has no tools",
  invalid_image:
    "the image is not a PNG, is not square, has no alpha channel, or differs in size from its mask",
  invalid_audio: "the file is not audio in a known format",
  file_too_large: "a file is larger than its limit",
  body_too_large: "the body is larger than its limit",
  rejected_by_upstream:
    "the provider rejects the request itself; status, message and code are the provider's",
  upstream_error: "the provider failed, or rejected the operator's own credential",
  upstream_overloaded: "the provider is overloaded, or no deployment is healthy",
  upstream_timeout: "the provider took too long",
  overloaded: "the gateway has no free memory",
  ledger_unavailable: "the ledger cannot be written",
  internal_error: "an error in the gateway",
}

const BEGIN = /<!-- errors:[^>]*-->\n/
const END = "<!-- /errors -->"

/** Returns the page with the table generated from the code. */
export function errorsPage(): string {
  const page = readFileSync(ERRORS_PAGE, "utf8")
  const begin = BEGIN.exec(page)
  const end = page.indexOf(END)
  if (begin === null || end === -1) throw new Error(`${ERRORS_PAGE} has no place for the errors`)
  return `${page.slice(0, begin.index)}${begin[0]}\n${errorsTable()}\n\n${page.slice(end)}`
}

function errorsTable(): string {
  const head = [
    "`error_type`",
    "status",
    "OpenAI `type`",
    "`code`",
    "Anthropic `type`",
    "retry",
    "when",
  ]
  const kinds = Object.entries(ERROR_KINDS) as [ErrorKind, (typeof ERROR_KINDS)[ErrorKind]][]
  const rows = kinds.map(([kind, { status, type, code, anthropicType, retry }]) => [
    `\`${kind}\``,
    String(status),
    `\`${type}\``,
    code === kind ? "same" : `\`${code}\``,
    `\`${anthropicType}\``,
    retry ? "yes" : "no",
    WHEN[kind],
  ])
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
}

if (import.meta.main) await Bun.write(ERRORS_PAGE, errorsPage())

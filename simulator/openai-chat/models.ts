import type { Exchange } from "../exchange.ts"
import { FAULT_NAMES, faultOfModel } from "../faults.ts"
import { credentialError, modelNotFound, reject } from "./errors.ts"
import { vendorResponse } from "./headers.ts"

const RELEASE = "2026-11-01"
const CREATED = Date.UTC(2026, 10, 1) / 1000

const LISTED = [
  "echo",
  ...FAULT_NAMES.filter((name) => name !== "flaky").map((name) => `fault-${name}`),
  "flaky-1",
  "flaky-2",
]
const KNOWN = new Set(LISTED)

/** Returns the dated name of a model, which responses contain. Returns undefined for a model that does not exist. */
export function datedName(model: string): string | undefined {
  const suffix = `-${RELEASE}`
  const name = model.endsWith(suffix) ? model.slice(0, -suffix.length) : model
  const known = KNOWN.has(name) || faultOfModel(name) !== undefined
  return known ? name + suffix : undefined
}

function describe(id: string) {
  return { id, object: "model", created: CREATED, owned_by: "system" }
}

function answerJson(exchange: Exchange, value: object): Response {
  exchange.finish()
  return vendorResponse(JSON.stringify(value), "json")
}

/** Answers `GET /v1/models` (docs/contribute/wire/openai-chat.md#f12). */
export function answerModelList(exchange: Exchange): Response {
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  return answerJson(exchange, { object: "list", data: LISTED.map((name) => describe(name)) })
}

/** Answers `GET /v1/models/{id}` (docs/contribute/wire/openai-chat.md#f12). */
export function answerModel(exchange: Exchange, id: string): Response {
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  if (datedName(id) === undefined) return reject(exchange, modelNotFound(id))
  return answerJson(exchange, describe(id))
}

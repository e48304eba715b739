import { MODEL_KINDS, type ModelKind } from "#contract/model-kinds.ts"
import { GatewayError } from "../canon/errors.ts"

const MAX_NAME_LENGTH = 256

/** @param nearest similar model names. */
export function notFound(name: string, nearest: readonly string[]): GatewayError {
  const hint = nearest.length === 0 ? "" : ` Did you mean ${orList(nearest)}?`
  const shape = name.includes("/") ? "" : " A model is named <provider>/<model_name>."
  return rejection(
    "model_not_found",
    `The model \`${shownName(name)}\` does not exist.${shape}${hint} GET /v1/models lists all models.`,
  )
}

/**
 * Rejects a name with a newer version than all known models of its family.
 * @param nearest similar model names.
 */
export function newerThanKnown(name: string, nearest: readonly string[]): GatewayError {
  const hint = nearest.length === 0 ? "" : ` Did you mean ${orList(nearest)}?`
  return rejection(
    "model_not_found",
    `The model \`${shownName(name)}\` is not known. It may be newer than this gateway's price list.${hint} The operator can offer newer models at the highest price of their family with 'unknown_models: family', or set a price.`,
  )
}

/**
 * Rejects an alias whose model is missing or invisible. Its target is not revealed, because only the operator may see
 * it.
 */
export function deadAlias(name: string): GatewayError {
  return rejection(
    "model_not_found",
    `The model \`${shownName(name)}\` is an alias of a model that does not exist or is not visible to this key. GET /v1/models lists all models.`,
  )
}

export function notAllowed(name: string): GatewayError {
  return rejection(
    "model_not_allowed",
    `This key may not call the model \`${name}\`. GET /v1/models lists the allowed models.`,
  )
}

export function ofOtherKind(name: string, kind: ModelKind, wanted: ModelKind): GatewayError {
  return rejection(
    "model_not_supported",
    `The model \`${name}\` is of kind ${kind}; this endpoint accepts models of kind ${wanted}. Use ${MODEL_KINDS[kind].endpoints[0]}.`,
  )
}

export function notPriced(name: string): GatewayError {
  return rejection(
    "model_not_priced",
    `The model \`${name}\` has no price yet, so it cannot be called. The operator can set one in the console or under 'models' in the settings.`,
  )
}

function rejection(
  kind: "model_not_found" | "model_not_allowed" | "model_not_supported" | "model_not_priced",
  message: string,
): GatewayError {
  return new GatewayError(kind, message, { parameter: "model" })
}

function shownName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
}

function orList(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  const last = quoted.pop() ?? ""
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`
}

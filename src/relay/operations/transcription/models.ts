import { GatewayError } from "../../../canon/errors.ts"
import type { TranscriptionRequest } from "../../../canon/transcription.ts"
import { isPriced, type Model } from "../../../catalog/model.ts"
import { atNoExtraPrice } from "../../priced-features/passed-fields.ts"
import type { Call } from "../../request/call.ts"
import type { RuntimeConfig } from "../../request/runtime-config.ts"

/**
 * Returns the requested model.
 * @throws GatewayError if the model does not exist, or if this key may not call it.
 */
export function modelOf(
  { key }: Call,
  { model, extra }: TranscriptionRequest,
  config: RuntimeConfig,
): Model {
  const known = config.catalog.require(model, "transcription", key)
  return atNoExtraPrice(known, extra, config)
}

/** Whether a request needs a second model, because it requests English and no vendor of its model translates. */
export function needsTranslator(
  { task }: TranscriptionRequest,
  { deployments }: Model,
  { clients }: RuntimeConfig,
): boolean {
  if (task === "transcribe") return false
  return deployments.every(({ provider, upstreamModel }) => {
    const format = clients.get(provider)?.vendor.operations?.transcription
    // A model that cannot transcribe is not counted here, because it is rejected for that reason.
    return format !== undefined && !format.translates(upstreamModel)
  })
}

/**
 * Returns the chat model that translates transcripts of another model: the operator's choice, or else the first model
 * that the key may call.
 * @throws GatewayError `model_not_supported` if there is no such model.
 */
export function translatorOf({ key }: Call, transcriber: Model, config: RuntimeConfig): Model {
  const { catalog, translationModel } = config
  const chosen = translationModel === undefined ? undefined : catalog.find(translationModel)
  if (translationModel !== undefined && !(chosen && isUsable(chosen))) {
    throw notSupported(
      transcriber,
      `and the operator's setting 'defaults.translation_model' names '${translationModel}', which is not a chat model with a price.`,
    )
  }
  if (chosen && key.allows?.(chosen.id) !== false) return catalog.priced(chosen, key)
  const first = catalog.first("chat", key)
  if (first) return first
  throw notSupported(
    transcriber,
    "and there is no chat model that this key may call to translate its text. Use a model that translates, such as one of the Whisper family, or ask the operator to set 'defaults.translation_model'.",
  )
}

function isUsable(model: Model): boolean {
  return model.kind === "chat" && isPriced(model)
}

function notSupported({ id }: Model, why: string): GatewayError {
  return new GatewayError(
    "model_not_supported",
    `The model '${id}' transcribes but does not translate, ${why}`,
    { parameter: "model" },
  )
}

import { GatewayError } from "../../canon/errors.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import type { Embeddings } from "../../relay/operations/embedding/embeddings.ts"
import { withoutKeyInUrl } from "../google-key.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler, Route } from "../server.ts"
import { chatEndpoint, type ChatEndpointServices, errorIn } from "./chat-endpoint.ts"
import { CONTENT_TOKENS } from "./count-content-tokens.ts"
import { tokenCounter } from "./count-tokens.ts"
import { embedContent } from "./embed-content.ts"
import { GENERATE_CONTENT, STREAM_GENERATE_CONTENT } from "./generate-content.ts"
import {
  GOOGLE_METHODS,
  GOOGLE_PLACES,
  type GoogleMethod,
  readGoogleAddress,
} from "./google-address.ts"
import { getGoogleModel, listGoogleModels } from "./google-models.ts"
import { asJsonArray, wantsEvents } from "./json-array.ts"
import type { JsonOperationServices } from "./json-operation.ts"
import { getModel, listModels, listModelsForClients, type ModelServices } from "./models.ts"
import { repeatable, type RepeatableServices } from "./repeatable.ts"

export interface GoogleParts {
  readonly chat: ChatEndpointServices & JsonOperationServices
  readonly models: ModelServices
  readonly embeddings: Embeddings
  readonly again: RepeatableServices
}

/** The list of models, and below it what Google's clients call: the address ends in what is asked of a model. */
export function googleRoutes({ chat, models, embeddings, again }: GoogleParts): Route[] {
  const paid = (handler: Handler): Handler =>
    repeatable(handler, again, (error, id) => errorIn(GEMINI, error, id))
  const streamed = paid(chatEndpoint(STREAM_GENERATE_CONTENT, chat))
  const ask = byMethod({
    generateContent: paid(chatEndpoint(GENERATE_CONTENT, chat)),
    streamGenerateContent: async (request, waitLong) => {
      const answer = await streamed(request, waitLong)
      return wantsEvents(request.url) ? answer : asJsonArray(answer)
    },
    countTokens: tokenCounter(CONTENT_TOKENS, chat),
    embedContent: paid(embedContent("embedContent", chat, embeddings)),
    batchEmbedContents: paid(embedContent("batchEmbedContents", chat, embeddings)),
  })
  const lists = {
    "/v1beta/models": listGoogleModels(models, listModels(models)),
    "/v1/models": listGoogleModels(models, listModelsForClients(models)),
  }
  const get = getGoogleModel(models, getModel(models))
  return GOOGLE_PLACES.flatMap((place): Route[] => [
    {
      path: `${place}/*`,
      method: "POST",
      handler: ask,
      errors: (error, id) => errorIn(GEMINI, error, id),
    },
    { path: place, method: "GET", handler: lists[place] },
    { path: `${place}/*`, method: "GET", handler: get },
  ])
}

function byMethod(handlers: Readonly<Record<GoogleMethod, Handler>>): Handler {
  return (incoming, waitLong) => {
    const request = withoutKeyInUrl(incoming)
    const asked = readGoogleAddress(new URL(request.url).pathname)?.method
    const method = GOOGLE_METHODS.find((known) => known === asked)
    if (method !== undefined) return handlers[method](request, waitLong)
    const methods = GOOGLE_METHODS.join(", ")
    const message = `An address here ends in ':' and one of ${methods}, such as ${GOOGLE_PLACES[0]}/<provider>/<model_name>:generateContent.`
    return errorIn(GEMINI, new GatewayError("not_found", message), newRequestId())
  }
}

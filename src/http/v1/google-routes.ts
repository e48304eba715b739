import type { Catalog } from "../../catalog/catalog.ts"
import { GatewayError } from "../../canon/errors.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import type { ChatRelay } from "../../relay/chat/chat-relay.ts"
import { keyInHeaders } from "../google-key.ts"
import { newRequestId } from "../request-id.ts"
import type { Handler, Route } from "../server.ts"
import { afterBody } from "../unread-body.ts"
import type { Calls } from "./calls.ts"
import { chatEndpoint } from "./chat-endpoint.ts"
import { CONTENT_TOKENS } from "./count-content-tokens.ts"
import { tokenCounter } from "./count-tokens.ts"
import { errorsIn } from "./dialect-errors.ts"
import { BATCH_EMBED_CONTENTS, EMBED_CONTENT } from "./embed-content.ts"
import { GENERATE_CONTENT, STREAM_GENERATE_CONTENT } from "./generate-content.ts"
import {
  GOOGLE_METHODS,
  GOOGLE_MODEL_PATHS,
  type GoogleMethod,
  readGoogleAddress,
} from "./google-address.ts"
import { asJsonArray, wantsEvents } from "./json-array.ts"
import { getModel, listModels } from "./models.ts"
import type { OperationEndpoint, OperationParts } from "./operation-endpoint.ts"

export interface GoogleServices extends OperationParts {
  readonly relay: ChatRelay
  readonly catalog: () => Catalog
  /** Adds idempotency keys to endpoints that cost money. */
  readonly repeatable: (route: Route) => Route
}

/** Builds the model lists and the calls for Google's clients. Addresses of calls end in the method. */
export function googleRoutes(calls: Calls, services: GoogleServices): Route[] {
  const { catalog } = services
  const callMethod = byMethod(methodHandlers(calls, services))
  return GOOGLE_MODEL_PATHS.flatMap((modelPath) => [
    keyInHeaders({
      method: "POST",
      path: `${modelPath}/{id...}`,
      handler: callMethod,
      handlesUnread: true,
      errors: errorsIn(GEMINI),
    }),
    listModels(calls, modelPath, catalog),
    getModel(calls, modelPath, catalog),
  ])
}

type MethodHandlers = Readonly<Record<GoogleMethod, Handler>>

function methodHandlers(calls: Calls, services: GoogleServices): MethodHandlers {
  const { relay, repeatable } = services
  const streamed = repeatable(chatEndpoint(STREAM_GENERATE_CONTENT, calls, relay)).handler
  const handlerOf = (endpoint: OperationEndpoint): Handler =>
    repeatable(endpoint.serve(calls, services)).handler
  return {
    generateContent: repeatable(chatEndpoint(GENERATE_CONTENT, calls, relay)).handler,
    streamGenerateContent: async (request, connection) => {
      const answer = await streamed(request, connection)
      return wantsEvents(request.url) ? answer : asJsonArray(answer)
    },
    countTokens: tokenCounter(CONTENT_TOKENS, calls, relay).handler,
    embedContent: handlerOf(EMBED_CONTENT),
    batchEmbedContents: handlerOf(BATCH_EMBED_CONTENTS),
  }
}

function byMethod(handlers: MethodHandlers): Handler {
  return (request, connection) => {
    const named = readGoogleAddress(new URL(request.url).pathname)?.method
    const method = GOOGLE_METHODS.find((known) => known === named)
    if (method !== undefined) return handlers[method](request, connection)
    const methods = GOOGLE_METHODS.join(", ")
    const message = `This address has to end in ':' and one of ${methods}, such as ${GOOGLE_MODEL_PATHS[0]}/<provider>/<model_name>:generateContent.`
    const error = new GatewayError("not_found", message)
    return afterBody(request, errorsIn(GEMINI)(error, newRequestId(), request))
  }
}

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
import { CONTENT_TOKENS, tokenCounter } from "./count-tokens.ts"
import { errorsIn } from "./dialect-errors.ts"
import { BATCH_EMBED_CONTENTS, EMBED_CONTENT } from "./embeddings.ts"
import { GENERATE_CONTENT, STREAM_GENERATE_CONTENT } from "./chat-endpoints.ts"
import {
  GOOGLE_METHODS,
  GOOGLE_MODEL_PATHS,
  type GoogleMethod,
  readGoogleAddress,
} from "./google-address.ts"
import { getModel, listModels } from "./models.ts"
import type { OperationEndpoint, OperationParts } from "./operation-endpoint.ts"
import { SseParser } from "../../wire/sse.ts"

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
      const response = await streamed(request, connection)
      return wantsEvents(request.url) ? response : asJsonArray(response)
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

const encoder = new TextEncoder()
/** White space between elements, which keeps the stream alive. */
const STILL_ALIVE = encoder.encode("\n")

/**
 * Whether a caller of `streamGenerateContent` requests server-sent events. Otherwise the response is one long array.
 */
function wantsEvents(url: string): boolean {
  const { searchParams } = new URL(url)
  const form = searchParams.get("alt") ?? searchParams.get("$alt")
  return form?.toLowerCase() === "sse"
}

/** Converts an event stream to a JSON array, chunk by chunk. Other responses are returned unchanged. */
function asJsonArray(response: Response): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
  if (!isStream || response.body === null) return response
  const headers = new Headers(response.headers)
  headers.set("content-type", "application/json; charset=utf-8")
  return new Response(new ReadableStream(new ArraySource(response.body.getReader())), { headers })
}

/** The methods of a stream reader that are used here. */
type Chunks = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">

class ArraySource {
  readonly #events: Chunks
  readonly #parser = new SseParser()
  #hasStarted = false

  constructor(events: Chunks) {
    this.#events = events
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { value, done } = await this.#events.read()
    if (done) {
      controller.enqueue(encoder.encode(this.#hasStarted ? "]" : "[]"))
      controller.close()
      return
    }
    const elements = this.#parser.push(value).map(({ data }) => this.#element(data))
    controller.enqueue(elements.length === 0 ? STILL_ALIVE : encoder.encode(elements.join("")))
  }

  cancel(reason: unknown): Promise<void> {
    return this.#events.cancel(reason)
  }

  #element(data: string): string {
    const before = this.#hasStarted ? ",\r\n" : "["
    this.#hasStarted = true
    return before + data
  }
}

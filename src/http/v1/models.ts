import { invalidValue } from "../../canon/invalid-request.ts"
import { MODEL_KIND_NAMES, type ModelKind } from "#contract/model-kinds.ts"
import type { Catalog } from "../../catalog/catalog.ts"
import { entryOf } from "../../catalog/entry.ts"
import { ANTHROPIC_MESSAGES } from "../../dialects/anthropic-messages/index.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import { type ErrorResponse, errorResponse, jsonResponse, textHeaders } from "../responses.ts"
import type { EndpointResponse } from "../../relay/request/call.ts"
import { hasGoogleKey, keyInHeaders } from "../google-key.ts"
import type { Route } from "../server.ts"
import { anthropicModel, anthropicPage, speaksAnthropic } from "./anthropic-models.ts"
import type { CallContext, Calls } from "./calls.ts"
import { errorsIn } from "./dialect-errors.ts"
import { type GOOGLE_MODEL_PATHS, modelName } from "./google-address.ts"
import { googleModel, googlePage } from "./google-models.ts"

type ModelPath = (typeof GOOGLE_MODEL_PATHS)[number]

/** The format of responses to requests for models, including errors. */
type Form = "google" | "anthropic" | "openai"

/** `GET /v1/models`, `GET /v1beta/models`: lists the models that this key may call. */
export function listModels(calls: Calls, path: ModelPath, catalog: () => Catalog): Route {
  const formOf = (request: Request): Form => {
    const form = formOfClient(request)
    // Anthropic's clients only use the newer path.
    return form === "anthropic" && path === "/v1beta/models" ? "openai" : form
  }
  return keyInHeaders(
    calls.respond(
      `GET ${path}`,
      (context) => listIn(formOf(context.request), context, catalog()),
      errorsFor(formOf),
    ),
  )
}

/** `GET /v1/audio/models`: lists the speech models that this key may call, in the format that Open WebUI reads. */
export function listSpeechModels(calls: Calls, catalog: () => Catalog): Route {
  return calls.respond("GET /v1/audio/models", ({ caller: { key }, id }) =>
    jsonResponse(id, {
      models: catalog()
        .list(key.allows, "speech")
        .map((model) => ({ id: model.id, name: model.id })),
    }),
  )
}

/** `GET /v1/models/{provider}/{name}`: returns one model. Its name may contain slashes. */
export function getModel(calls: Calls, path: ModelPath, catalog: () => Catalog): Route {
  return keyInHeaders(
    calls.respond(
      `GET ${path}/{id...}`,
      (context) => modelIn(formOfClient(context.request), context, catalog()),
      errorsFor(formOfClient),
    ),
  )
}

function formOfClient(request: Request): Form {
  if (hasGoogleKey(request)) return "google"
  return speaksAnthropic(request.headers) ? "anthropic" : "openai"
}

const ERRORS: Readonly<Record<Form, ErrorResponse>> = {
  google: errorsIn(GEMINI),
  anthropic: errorsIn(ANTHROPIC_MESSAGES),
  openai: errorResponse,
}

function errorsFor(formOf: (request: Request) => Form): ErrorResponse {
  return (error, id, request) => ERRORS[formOf(request)](error, id, request)
}

function listIn(
  form: Form,
  { request, caller: { key, memory }, id }: CallContext,
  catalog: Catalog,
): EndpointResponse {
  const { searchParams } = new URL(request.url)
  const kind = kindOf(searchParams)
  const body =
    form === "openai"
      ? catalog.listBody(key, kind)
      : JSON.stringify(PAGES[form](catalog.list(key.allows, kind), searchParams))
  // Memory is reserved because the list is free of charge: callers could otherwise request many lists without reading
  // them.
  memory.takeResponse(2 * body.length)
  return { headers: textHeaders(id), body }
}

const PAGES = { google: googlePage, anthropic: anthropicPage } as const

/**
 * Returns the kind of models to which a list is restricted.
 * @throws GatewayError `invalid_value` for an unknown kind.
 */
function kindOf(query: URLSearchParams): ModelKind | undefined {
  const name = query.get("kind")
  if (name === null || name === "") return undefined
  const kind = MODEL_KIND_NAMES.find((known) => known === name)
  if (kind !== undefined) return kind
  throw invalidValue("kind", `'kind' must be one of ${MODEL_KIND_NAMES.join(", ")}.`)
}

function modelIn(form: Form, context: CallContext, catalog: Catalog): Response | EndpointResponse {
  const name = modelName(new URL(context.request.url).pathname)
  // With an empty name, the address is that of the list with a trailing slash.
  if (name === "" && form !== "google") return listIn(form, context, catalog)
  const model = catalog.visible(name, context.caller.key)
  switch (form) {
    case "google":
      return jsonResponse(context.id, googleModel(model))
    case "anthropic":
      return jsonResponse(context.id, anthropicModel(model))
    case "openai":
      return jsonResponse(context.id, entryOf(model))
  }
}

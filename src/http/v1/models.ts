import type { Catalog } from "../../catalog/catalog.ts"
import { ANTHROPIC_MESSAGES } from "../../dialects/anthropic-messages/index.ts"
import { GEMINI } from "../../dialects/gemini/index.ts"
import { type ErrorAnswer, errorAnswer, jsonAnswer, textAnswer } from "../answers.ts"
import { noBody, serve } from "../endpoint.ts"
import { hasGoogleKey, keyInHeaders } from "../google-key.ts"
import type { Route } from "../server.ts"
import { anthropicModel, anthropicPage, speaksAnthropic } from "./anthropic-models.ts"
import type { Asked, Calls } from "./calls.ts"
import { errorsIn } from "./dialect-errors.ts"
import { type GOOGLE_PLACES, modelName } from "./google-address.ts"
import { googleModel, googlePage } from "./google-models.ts"

type Place = (typeof GOOGLE_PLACES)[number]

/** In whose form a request for models is answered, errors included. */
type Form = "google" | "anthropic" | "openai"

/** `GET /v1/models`, `GET /v1beta/models`: the models that this key may call. */
export function listModels(calls: Calls, place: Place, catalog: () => Catalog): Route {
  const formOf = (request: Request): Form => {
    const form = formOfClient(request)
    // Anthropic's clients know the newer place alone.
    return form === "anthropic" && place === "/v1beta/models" ? "openai" : form
  }
  return keyInHeaders(
    serve(
      {
        method: "GET",
        path: place,
        auth: calls.auth,
        body: noBody,
        errors: errorsFor(formOf),
        handle: (asked) => listIn(formOf(asked.request), asked, catalog()),
      },
      calls.events,
    ),
  )
}

/** `GET /v1/models/{provider}/{name}`: one of them. A name may hold slashes of its own. */
export function getModel(calls: Calls, place: Place, catalog: () => Catalog): Route {
  return keyInHeaders(
    serve(
      {
        method: "GET",
        path: `${place}/*`,
        auth: calls.auth,
        body: noBody,
        errors: errorsFor(formOfClient),
        handle: (asked) => modelIn(formOfClient(asked.request), asked, catalog()),
      },
      calls.events,
    ),
  )
}

function formOfClient(request: Request): Form {
  if (hasGoogleKey(request)) return "google"
  return speaksAnthropic(request.headers) ? "anthropic" : "openai"
}

const ERRORS: Readonly<Record<Form, ErrorAnswer>> = {
  google: errorsIn(GEMINI),
  anthropic: errorsIn(ANTHROPIC_MESSAGES),
  openai: errorAnswer,
}

function errorsFor(formOf: (request: Request) => Form): ErrorAnswer {
  return (error, id, request) => ERRORS[formOf(request)](error, id, request)
}

function listIn(form: Form, { request, caller: { key }, id }: Asked, catalog: Catalog): Response {
  if (form === "openai") return textAnswer(id, catalog.listBody(key.allows))
  const { searchParams } = new URL(request.url)
  const page = form === "google" ? googlePage : anthropicPage
  return jsonAnswer(id, page(catalog.list(key.allows), searchParams))
}

function modelIn(form: Form, asked: Asked, catalog: Catalog): Response {
  const name = modelName(new URL(asked.request.url).pathname)
  // The address of the list, with a slash at its end.
  if (name === "" && form !== "google") return listIn(form, asked, catalog)
  const model = catalog.visible(name, asked.caller.key)
  switch (form) {
    case "google":
      return jsonAnswer(asked.id, googleModel(model))
    case "anthropic":
      return jsonAnswer(asked.id, anthropicModel(model))
    case "openai":
      return jsonAnswer(asked.id, catalog.entry(model))
  }
}

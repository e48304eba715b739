import type { Catalog } from "../../catalog/catalog.ts"
import { ANTHROPIC_MESSAGES } from "../../dialects/anthropic-messages/index.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Events } from "../../telemetry/events.ts"
import { jsonAnswer, textAnswer } from "../answers.ts"
import { authenticated, type KnownRequest } from "../authenticated.ts"
import { anthropicModel, anthropicPage, speaksAnthropic } from "./anthropic-models.ts"
import { errorIn } from "./chat-endpoint.ts"
import { modelName } from "./google-address.ts"

export interface ModelServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly catalog: () => Catalog
}

/** `GET /v1beta/models`: the models that this key may call. */
export function listModels(services: ModelServices) {
  return authenticated(services, ({ key, id }) =>
    textAnswer(id, services.catalog().listBody(key.allows)),
  )
}

/** `GET /v1/models`: the same list; page by page, in the form of their API, for Anthropic's clients. */
export function listModelsForClients(services: ModelServices) {
  return inTheirForm(services, (asked) => listFor(asked, services.catalog()))
}

/** An endpoint whose errors Anthropic's clients get in their form, as they get its answers. */
function inTheirForm(services: ModelServices, answer: (asked: KnownRequest) => Response) {
  const usual = authenticated(services, answer)
  const anthropic = authenticated(services, answer, (error, id) =>
    errorIn(ANTHROPIC_MESSAGES, error, id),
  )
  return (request: Request) =>
    speaksAnthropic(request.headers) ? anthropic(request) : usual(request)
}

function listFor({ request, key, id, url }: KnownRequest, catalog: Catalog): Response {
  return speaksAnthropic(request.headers)
    ? jsonAnswer(id, anthropicPage(catalog.list(key.allows), url.searchParams))
    : textAnswer(id, catalog.listBody(key.allows))
}

/** `GET /v1/models/{provider}/{name}`: one of them. A name may hold slashes of its own. */
export function getModel(services: ModelServices) {
  return inTheirForm(services, (asked) => {
    const { request, key, id, url } = asked
    const name = modelName(url.pathname)
    const catalog = services.catalog()
    // The address of the list, with a slash at its end.
    if (name === "") return listFor(asked, catalog)
    const model = catalog.visible(name, key)
    const isAnthropic = speaksAnthropic(request.headers)
    return jsonAnswer(id, isAnthropic ? anthropicModel(model) : catalog.entry(model))
  })
}

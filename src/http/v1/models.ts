import type { Catalog } from "../../catalog/catalog.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Events } from "../../telemetry/events.ts"
import { jsonAnswer, textAnswer } from "../answers.ts"
import { authenticated } from "../authenticated.ts"

export interface ModelServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly catalog: () => Catalog
}

/** `GET /v1/models` and `GET /v1beta/models`: the models that this key may call. */
export function listModels(services: ModelServices) {
  return authenticated(services, ({ key, id }) =>
    textAnswer(id, services.catalog().listBody(key.allows)),
  )
}

const PREFIX = "/v1/models/"

/** `GET /v1/models/{provider}/{name}`: one of them. A name may hold slashes of its own. */
export function getModel(services: ModelServices) {
  return authenticated(services, ({ key, id, url }) => {
    const name = decoded(url.pathname.slice(PREFIX.length))
    const catalog = services.catalog()
    // The address of the list, with a slash at its end.
    if (name === "") return textAnswer(id, catalog.listBody(key.allows))
    return jsonAnswer(id, catalog.entry(catalog.visible(name, key.allows)))
  })
}

/** What cannot be decoded is the name of no model, and shall be told so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

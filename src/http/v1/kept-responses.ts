import { GatewayError } from "../../canon/errors.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { Conversations } from "../../relay/conversations.ts"
import type { Events } from "../../telemetry/events.ts"
import { jsonAnswer } from "../answers.ts"
import { authenticated } from "../authenticated.ts"

export interface KeptResponseServices {
  readonly keyring: Keyring
  readonly events: Events
  readonly conversations: Conversations
}

/** Where kept responses are. */
export const KEPT_RESPONSES_PATH = "/v1/responses/"

/** `GET /v1/responses/{id}`: a response as it was answered, while it is kept. */
export function getKeptResponse(services: KeptResponseServices) {
  return authenticated(services, async ({ key, id, url }) => {
    const kept = await services.conversations.find(key.account, nameIn(url))
    if (!kept) throw notKept()
    return jsonAnswer(id, kept.body)
  })
}

/** `DELETE /v1/responses/{id}`: forgets a response and its items. What went on from it stays. */
export function deleteKeptResponse(services: KeptResponseServices) {
  return authenticated(services, async ({ key, id, url }) => {
    const name = nameIn(url)
    if (!(await services.conversations.delete(key.account, name))) throw notKept()
    return jsonAnswer(id, { id: name, object: "response", deleted: true })
  })
}

function nameIn({ pathname }: URL): string {
  return pathname.slice(KEPT_RESPONSES_PATH.length)
}

/** Another account's are told in the same words. */
function notKept(): GatewayError {
  return new GatewayError(
    "not_found",
    "There is no such response. The gateway keeps those that were not asked for with 'store: false', for as long as 'responses.keep' says.",
  )
}

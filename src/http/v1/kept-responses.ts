import { GatewayError } from "../../canon/errors.ts"
import type { JsonObject } from "../../canon/json.ts"
import { OPENAI_RESPONSES } from "../../dialects/openai-responses/index.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { MemoryBudget } from "../../limits/memory-budget.ts"
import type { KeptAnswer } from "../../relay/chat/conversations.ts"
import { deleteResponse, type ResponseKeepers } from "../../relay/state/delete-response.ts"
import type { Events } from "../../telemetry/events.ts"
import { jsonAnswer, textHeaders } from "../answers.ts"
import { authenticated, type KnownRequest } from "../authenticated.ts"
import { heldAnswer } from "../held-answer.ts"
import { pageOf } from "./item-pages.ts"

export interface KeptResponseServices extends ResponseKeepers {
  readonly keyring: Keyring
  readonly events: Events
  readonly memory: MemoryBudget
}

/** Where kept responses are. */
export const KEPT_RESPONSES_PATH = "/v1/responses/"
const INPUT_ITEMS = "/input_items"

/**
 * `GET /v1/responses/{id}`: a response as it was answered, while it is kept. `GET /v1/responses/{id}/input_items`: what
 * it was asked with, page by page (openai 7.55, `InputItemListParams`).
 */
export function getKeptResponse(services: KeptResponseServices) {
  return authenticated(services, async (known) => {
    const { url } = known
    const name = nameIn(url)
    if (!name.endsWith(INPUT_ITEMS)) return read(services, known, name, ({ body }) => body)
    const response = name.slice(0, -INPUT_ITEMS.length)
    return read(services, known, response, (kept) =>
      pageOf(itemsOf(services, known, response, kept), url.searchParams),
    )
  })
}

/** `DELETE /v1/responses/{id}`: forgets a response and its items, and has its vendor do so. What went on from it stays. */
export function deleteKeptResponse(services: KeptResponseServices) {
  return authenticated(services, async ({ key, id, url }) => {
    const name = nameIn(url)
    using memory = services.memory.open(key)
    if (!(await deleteResponse(services, { account: key.account, id: name, memory }))) {
      throw notKept()
    }
    return jsonAnswer(id, { id: name, object: "response", deleted: true })
  })
}

/** Answers with what is kept of a response; its memory is held until that has gone out. */
async function read(
  { memory, conversations }: KeptResponseServices,
  { key, id }: KnownRequest,
  response: string,
  answer: (kept: KeptAnswer) => JsonObject,
): Promise<Response> {
  const held = memory.open(key)
  try {
    const kept = await conversations.find(key.account, response, held)
    if (!kept) throw notKept()
    const headers = textHeaders(id, {})
    return heldAnswer({ headers, body: JSON.stringify(answer(kept)) }, held)
  } catch (error) {
    held[Symbol.dispose]()
    throw error
  }
}

function itemsOf(
  { conversations }: KeptResponseServices,
  { key }: KnownRequest,
  response: string,
  { before }: KeptAnswer,
): readonly JsonObject[] {
  if (before === null) throw onlyAtVendor()
  const mark = (index: number): string => conversations.mark(key.account, response, index)
  return OPENAI_RESPONSES.conversation?.listed(before, mark) ?? []
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

function onlyAtVendor(): GatewayError {
  return new GatewayError(
    "not_found",
    "The input of this response is known to its vendor alone: it named a conversation or a prompt that is kept there.",
  )
}

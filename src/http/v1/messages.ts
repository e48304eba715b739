import { ANTHROPIC_MESSAGES } from "../../dialects/anthropic-messages/index.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"

const BETA = "anthropic-beta"

/** `POST /v1/messages` */
export const MESSAGES: ChatEndpoint = {
  path: "/v1/messages",
  dialect: ANTHROPIC_MESSAGES,
  forwarded(headers) {
    const beta = headers.get(BETA)
    return beta === null ? undefined : { [BETA]: beta }
  },
}

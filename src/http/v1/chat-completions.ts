import { OPENAI_CHAT } from "../../dialects/openai-chat/index.ts"
import type { ChatEndpoint } from "./chat-endpoint.ts"

/** `POST /v1/chat/completions` */
export const CHAT_COMPLETIONS: ChatEndpoint = {
  path: "/v1/chat/completions",
  dialect: OPENAI_CHAT,
}

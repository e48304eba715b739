import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import type { ChatCall } from "../request/call.ts"
import type { RequestContext } from "../pipeline/request-context.ts"
import type { ResponseToStore } from "../state/conversations.ts"

/** A chat request with its hold, and all data that is shared while it is served. */
export interface ChatContext extends RequestContext {
  readonly call: ChatCall
  readonly dialect: ClientDialect
  readonly request: ChatRequest
  /** Set if the gateway stores the response for the account. */
  readonly keeping?: ResponseToStore | undefined
}

/** A chat request before its hold. */
export type ChatInput = Pick<ChatContext, "call" | "dialect" | "request" | "config" | "rate">

import type { Contents } from "../pipeline/payload-log.ts"
import type { Pipeline } from "../pipeline/pipeline.ts"
import type { ChatContext } from "./chat-context.ts"

/** Ends a chat that delivered nothing. What was asked is kept all the same, for accounts that want that. */
export function releaseChat(
  { pipeline, contents }: { readonly pipeline: Pipeline; readonly contents: Contents },
  context: ChatContext,
): void {
  pipeline.release(context)
  contents.keep(context.call, context.call.body)
}

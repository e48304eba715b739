import { hexadecimal } from "../identifiers.ts"
import { arrayOf, objectOf, stringOf, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "../openai-chat/errors.ts"
import type { OutputItem } from "./result.ts"
import type { StoredResponses } from "./stored-responses.ts"

/**
 * Returns the container of a request's code interpreter: the named container, the container of an earlier call, or a
 * new container. Returns undefined if the request does not offer the tool.
 */
export function containerOf(
  body: JsonObject,
  stored: StoredResponses,
): string | undefined | VendorError {
  const tools = arrayOf(body.tools).map((tool) => objectOf(tool))
  const tool = tools.find(({ type }) => type === "code_interpreter")
  if (tool === undefined) return undefined
  const { container } = tool
  if (typeof container === "string") {
    if (stored.hasContainer(container)) return container
    const message = `Container with id '${container}' not found.`
    return { ...invalid(message, "tools", null), status: 404 }
  }
  const earlier = arrayOf(body.input)
    .map((item) => stringOf(objectOf(item).container_id))
    .find((id) => stored.hasContainer(id))
  return earlier ?? `cntr_${hexadecimal(48)}`
}

/** Returns the output items of the code interpreter. The model uses the tool once whenever it is offered. */
export function codeItems(container: string | undefined): OutputItem[] {
  if (container === undefined) return []
  return [{ type: "code_interpreter_call", id: `ci_${hexadecimal(50)}`, container }]
}

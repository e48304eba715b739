import { hexadecimal } from "../identifiers.ts"
import { arrayOf, objectOf, stringOf, type JsonObject } from "../json.ts"
import { invalid, type VendorError } from "../openai-chat/errors.ts"
import type { OutputItem } from "./result.ts"
import type { StoredResponses } from "./stored-responses.ts"

/**
 * Where the code interpreter of a request runs: in a container that is named, in the one of an earlier call,
 * or in a new one; undefined where the tool is not offered.
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

/** The model tries the tool once whenever it is offered. */
export function codeItems(container: string | undefined): OutputItem[] {
  if (container === undefined) return []
  return [{ type: "code_interpreter_call", id: `ci_${hexadecimal(50)}`, container }]
}

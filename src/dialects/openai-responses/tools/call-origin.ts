import type { CallOrigin } from "../../../canon/chat.ts"
import { type JsonObject, textAt } from "../../../canon/json.ts"

/** What a call stands for; undefined for one of a plain function. */
export function originOfCall(item: JsonObject): CallOrigin | undefined {
  const form = item.type === "custom_tool_call" ? "text" : "function"
  const namespace = textAt(item, "namespace")
  if (form === "function" && namespace === undefined) return undefined
  const name = textAt(item, "name") ?? ""
  return namespace === undefined ? { form, name } : { form, name, namespace }
}

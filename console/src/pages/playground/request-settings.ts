import { memberOf } from "../../api/api-error.ts"
import { type ChatSettings, DEFAULT_SETTINGS } from "./conversation.ts"
import { systemIn } from "./said.ts"

/** Reads the settings of a chat request in any format. */
export function settingsIn(body: unknown): ChatSettings {
  const google = memberOf(body, "generationConfig")
  const effort = firstOf(
    memberOf(body, "reasoning_effort"),
    memberOf(memberOf(body, "reasoning"), "effort"),
  )
  const stop = firstOf(
    memberOf(body, "stop"),
    memberOf(body, "stop_sequences"),
    memberOf(google, "stopSequences"),
  )
  const tools = toolsIn(body)
  return {
    ...DEFAULT_SETTINGS,
    system: systemIn(body),
    temperature: numberAmong(memberOf(body, "temperature"), memberOf(google, "temperature")),
    topP: numberAmong(memberOf(body, "top_p"), memberOf(google, "topP")),
    maxTokens: numberAmong(
      memberOf(body, "max_completion_tokens"),
      memberOf(body, "max_tokens"),
      memberOf(body, "max_output_tokens"),
      memberOf(google, "maxOutputTokens"),
    ),
    effort: typeof effort === "string" ? effort : null,
    stop: [stop].flat().filter((text): text is string => typeof text === "string"),
    tools: tools.length === 0 ? "" : JSON.stringify(tools, null, 2),
  }
}

function firstOf(...values: readonly unknown[]): unknown {
  return values.find((value) => value !== undefined)
}

function numberAmong(...values: readonly unknown[]): number | null {
  const value = firstOf(...values)
  return typeof value === "number" ? value : null
}

/** Reads functions in the form of chat completions. Tools that the vendor runs are omitted. */
function toolsIn(body: unknown): unknown[] {
  const tools = memberOf(body, "tools")
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown) => {
    const declared = memberOf(tool, "functionDeclarations")
    const functions: unknown[] = Array.isArray(declared)
      ? declared
      : [memberOf(tool, "function") ?? tool]
    return functions.flatMap((each) => {
      const name = memberOf(each, "name")
      const parameters = memberOf(each, "parameters") ?? memberOf(each, "input_schema")
      if (typeof name !== "string" || parameters === undefined) return []
      return [
        {
          type: "function",
          function: { name, description: memberOf(each, "description"), parameters },
        },
      ]
    })
  })
}

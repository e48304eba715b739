import { isJsonObject, isDefined, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { FILE_ADDRESS, STATE, stateIn, type StateShape } from "../../canon/vendor-state.ts"

function isOfType(type: string): (value: JsonValue) => boolean {
  return (value) => isJsonObject(value) && value.type === type
}

const SOURCE: Readonly<Record<string, StateShape>> = { file_id: STATE.file, url: FILE_ADDRESS }

/** An image or a document. A document may contain other images and documents. */
const MEDIA = stateIn({
  source: stateIn({ ...SOURCE, content: stateIn({ source: stateIn(SOURCE) }) }),
})

const BLOCK: StateShape = {
  ...MEDIA,
  also: [
    stateIn({ file_id: STATE.file }, isOfType("container_upload")),
    stateIn({ content: MEDIA }, isOfType("tool_result")),
  ],
}

/**
 * The places in a request for a message that refer to state stored by the vendor (@anthropic-ai/sdk 1.12,
 * `MessageCreateParams`).
 */
export const REQUEST_STATE: StateShape = stateIn({
  thread: stateIn({ previous_message_id: STATE.message }),
  // The message is only compared and reported.
  diagnostics: stateIn({
    previous_message_id: { names: { kind: "message", isWeightless: true } },
  }),
  container: {
    ...STATE.container,
    ...stateIn({
      id: STATE.container,
      skills: stateIn({ skill_id: STATE.skill }, isOfType("custom")),
    }),
  },
  messages: stateIn({ content: BLOCK }),
  system: BLOCK,
})

/** Result blocks of a code tool, which name the files that the code has written. */
const RESPONSE_BLOCK = stateIn({
  content: stateIn({ content: stateIn({ file_id: STATE.file }), file_id: STATE.file }),
})

const CONTAINER = stateIn({ id: STATE.container })

/** Returns the places of state in a whole response, or in a frame of a response. */
function responseShape(message: Readonly<Record<string, StateShape>>): StateShape {
  const whole = { ...message, container: CONTAINER, content: RESPONSE_BLOCK }
  return stateIn({
    ...whole,
    message: stateIn(whole),
    content_block: RESPONSE_BLOCK,
    delta: stateIn({ container: CONTAINER }),
  })
}

const RUN = responseShape({})
const HELD = responseShape({ id: STATE.message })

/**
 * Returns the places in the response to a request that name state stored by the vendor; undefined if the vendor stores
 * no state. The vendor stores a message if the caller requests a thread. It stores the structure of a message if the
 * caller requests diagnostics.
 */
export function responseState(body: JsonObject): StateShape | undefined {
  if (isDefined(body.thread) || isDefined(body.diagnostics)) return HELD
  return isDefined(body.container) || runsTools(body) ? RUN : undefined
}

/**
 * Whether a request has server tools. They have specific types; a caller's own tools have the type `custom` or no type.
 */
function runsTools({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some(isServerTool)
}

function isServerTool(tool: JsonValue): boolean {
  return isJsonObject(tool) && typeof tool.type === "string" && tool.type !== "custom"
}

import { isJsonObject, isDefined, type JsonObject, type JsonValue } from "../../canon/json.ts"
import { FILE_ADDRESS, STATE, stateIn, type StateShape } from "../../canon/vendor-state.ts"

function isOfType(type: string): (value: JsonValue) => boolean {
  return (value) => isJsonObject(value) && value.type === type
}

const SOURCE: Readonly<Record<string, StateShape>> = { file_id: STATE.file, url: FILE_ADDRESS }

/** An image or a document; a document may consist of others. */
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
 * The places in a request for a message that refer to state stored at its vendor (@anthropic-ai/sdk 1.12,
 * `MessageCreateParams`).
 */
export const REQUEST_STATE: StateShape = stateIn({
  thread: stateIn({ previous_message_id: STATE.message }),
  // Is only compared and reported.
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

/** Files written by a code tool are in its result. */
const ANSWER_BLOCK = stateIn({
  content: stateIn({ content: stateIn({ file_id: STATE.file }), file_id: STATE.file }),
})

const CONTAINER = stateIn({ id: STATE.container })

/** The state in a whole answer, or in a frame of one. */
function answerShape(message: Readonly<Record<string, StateShape>>): StateShape {
  const whole = { ...message, container: CONTAINER, content: ANSWER_BLOCK }
  return stateIn({
    ...whole,
    message: stateIn(whole),
    content_block: ANSWER_BLOCK,
    delta: stateIn({ container: CONTAINER }),
  })
}

const RUN = answerShape({})
const HELD = answerShape({ id: STATE.message })

/**
 * Returns the places in the response to a request that name state stored by its vendor; undefined if it stores no
 * state. A message is stored for callers that request a thread, and its shape for those that request diagnostics.
 */
export function answerState(body: JsonObject): StateShape | undefined {
  if (isDefined(body.thread) || isDefined(body.diagnostics)) return HELD
  return isDefined(body.container) || runsTools(body) ? RUN : undefined
}

/** Server tools have specific types; a caller's own have the type `custom`, or no type. */
function runsTools({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some(isServerTool)
}

function isServerTool(tool: JsonValue): boolean {
  return isJsonObject(tool) && typeof tool.type === "string" && tool.type !== "custom"
}

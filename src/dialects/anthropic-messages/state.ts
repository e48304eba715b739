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
 * Where a request for a message refers to state stored at its vendor (@anthropic-ai/sdk 1.12,
 * `MessageCreateParams`).
 */
export const REQUEST_STATE: StateShape = stateIn({
  thread: stateIn({ previous_message_id: STATE.message }),
  // Only compared, and reported.
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

/** What a code tool has written is in its result. */
const ANSWER_BLOCK = stateIn({
  content: stateIn({ content: stateIn({ file_id: STATE.file }), file_id: STATE.file }),
})

const CONTAINER = stateIn({ id: STATE.container })

/** A whole answer, or a frame of one. */
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
 * Where the response to a request names state that its vendor stores from then on; undefined where it stores
 * none. A message is stored for callers that ask for a thread, and its shape for those that ask for
 * diagnostics.
 */
export function answerState(body: JsonObject): StateShape | undefined {
  if (isDefined(body.thread) || isDefined(body.diagnostics)) return HELD
  return isDefined(body.container) || runsTools(body) ? RUN : undefined
}

/** Server tools have specific types; a caller's own have `custom`, or none. */
function runsTools({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.some(isServerTool)
}

function isServerTool(tool: JsonValue): boolean {
  return isJsonObject(tool) && typeof tool.type === "string" && tool.type !== "custom"
}

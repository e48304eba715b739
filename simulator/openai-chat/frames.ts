import type { PlannedCall, PlannedChoice } from "../response.ts"
import type { StreamScript } from "../stream.ts"
import { eachToken } from "../tokens.ts"
import { errorText, faultError } from "./errors.ts"
import { logprobsOf } from "./logprobs.ts"
import {
  callId,
  completionId,
  createdNow,
  FINGERPRINT,
  finishReason,
  usageObject,
  type ChatResponse,
} from "./result.ts"

/** The request's options for streams. */
export interface StreamOptions {
  /**
   * Whether every frame contains `usage`, which is null until the last frame (docs/contribute/wire/openai-chat.md#f7).
   */
  readonly usage: boolean
  /** Whether frames are padded to hide their length. By default, OpenAI pads them. */
  readonly obfuscation: boolean
}

const PADDING = "Qm7ZtL0xVbR2sWnK"

/** Writes the frames of one streamed response. The constant parts of a frame are built once. */
class FrameWriter {
  readonly #response: ChatResponse
  readonly #options: StreamOptions
  readonly #head: string

  constructor(response: ChatResponse, options: StreamOptions) {
    this.#response = response
    this.#options = options
    const id = JSON.stringify(completionId())
    const model = JSON.stringify(response.model)
    this.#head =
      `data: {"id":${id},"object":"chat.completion.chunk","created":${createdNow()},` +
      `"model":${model},"service_tier":"${response.tier}","system_fingerprint":"${FINGERPRINT}","choices":[`
  }

  /** Returns the beginning of a frame, up to the choices. */
  get head(): string {
    return this.#head
  }

  /**
   * Returns a frame of one choice. `delta` is JSON text, and `text` is the text whose log probabilities are included.
   */
  choice(index: number, delta: string, finish: string | null, text: string | null): string {
    const { logprobs } = this.#response
    const probabilities =
      logprobs.wanted && finish === null ? JSON.stringify(logprobsOf(text, logprobs)) : "null"
    const reason = finish === null ? "null" : `"${finish}"`
    return (
      `${this.#head}{"index":${index},"delta":${delta},"logprobs":${probabilities},` +
      `"finish_reason":${reason}}]${this.#options.usage ? ',"usage":null' : ""}` +
      `${this.#padding(delta.length)}}\n\n`
    )
  }

  /** Returns the frame without choices that contains the usage; empty if usage is not requested or not known. */
  usage(): string[] {
    const { usage } = this.#response
    if (usage === undefined || !this.#options.usage) return []
    return [`${this.#head}],"usage":${JSON.stringify(usageObject(usage))}${this.#padding(0)}}\n\n`]
  }

  #padding(length: number): string {
    if (!this.#options.obfuscation) return ""
    return `,"obfuscation":"${PADDING.slice(0, 16 - (length % 16))}"`
  }
}

/** Returns the frames of a streamed response in OpenAI's order (docs/contribute/wire/openai-chat.md#f5). */
export function streamScript(response: ChatResponse, options: StreamOptions): StreamScript {
  const usage = response.usage !== undefined && options.usage
  const writer = new FrameWriter(response, { ...options, usage })
  const error = faultError("stream-error", response.model)
  return {
    opening: response.choices.map((choice, index) => openingFrame(writer, choice, index)),
    body: bodyFrames(writer, response.choices),
    closing: [
      ...response.choices.map((choice, index) =>
        writer.choice(index, "{}", finishReason(choice), null),
      ),
      ...writer.usage(),
    ],
    end: "data: [DONE]\n\n",
    errorFrame: error === undefined ? "" : `data: ${errorText(error).replaceAll("\n", "")}\n\n`,
    brokenFrame: `${writer.head}{"index":0,"del\n\n`,
  }
}

/**
 * Returns the first frame, which begins with the role. A single tool call starts in the same frame. If there are
 * several tool calls, each starts in its own frame (recorded).
 */
function openingFrame(writer: FrameWriter, choice: PlannedChoice, index: number): string {
  const [first] = choice.calls
  if (first === undefined) {
    const content = choice.text === null ? "null" : '""'
    const delta = `{"role":"assistant","content":${content},"refusal":null}`
    return writer.choice(index, delta, null, "")
  }
  const begun = choice.calls.length === 1 ? `,"tool_calls":[${callOpening(first, 0)}]` : ""
  const delta = `{"role":"assistant","content":null${begun},"refusal":null}`
  return writer.choice(index, delta, null, "")
}

/**
 * Returns the start of a call. The id, the type and the name are sent once. Later frames contain only the call's index
 * (docs/contribute/wire/openai-chat.md#f6).
 */
function callOpening(call: PlannedCall, index: number): string {
  const opened = { name: call.name, arguments: "" }
  return JSON.stringify({ index, id: callId(), type: "function", function: opened })
}

/** Yields one frame per token. The choices take turns. */
function* bodyFrames(writer: FrameWriter, choices: readonly PlannedChoice[]): Generator<string> {
  let running = choices.map((choice, index) => choiceFrames(writer, choice, index))
  while (running.length > 0) {
    const [only] = running
    if (running.length === 1 && only !== undefined) {
      yield* only
      return
    }
    const still: typeof running = []
    for (const frames of running) {
      const next = frames.next()
      if (next.done === true) continue
      still.push(frames)
      yield next.value
    }
    running = still
  }
}

function* choiceFrames(
  writer: FrameWriter,
  choice: PlannedChoice,
  index: number,
): Generator<string> {
  if (choice.text !== null) {
    for (const token of eachToken(choice.text)) {
      yield writer.choice(index, `{"content":${JSON.stringify(token)}}`, null, token)
    }
    return
  }
  for (const [position, call] of choice.calls.entries()) {
    if (choice.calls.length > 1) {
      yield writer.choice(index, `{"tool_calls":[${callOpening(call, position)}]}`, null, "")
    }
    for (const token of eachToken(call.argumentsText)) {
      const chunk = JSON.stringify({ index: position, function: { arguments: token } })
      yield writer.choice(index, `{"tool_calls":[${chunk}]}`, null, "")
    }
  }
}

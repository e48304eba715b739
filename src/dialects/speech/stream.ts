import { objectOf, type ReadEvent } from "../shared/read-event.ts"
import { isJsonObject, objectAt } from "../../canon/json.ts"
import { quantityOf } from "../../canon/quantity.ts"
import { NO_USAGE, totalInput, totalOutput, type Usage } from "../../canon/usage.ts"
import { encodeText, formatEvent } from "../../wire/sse.ts"
import { reportedFailure } from "../shared/errors.ts"

/** Extracts the audio from OpenAI's events (docs/contribute/wire/speech.md#f2). */
export class SpeechEventReader {
  /** Token usage, once the last event has reported it. */
  usage: Usage | undefined
  /** Whether the last event has arrived. */
  isOver = false

  /**
   * Returns the audio of an event; undefined if it has no audio.
   * @throws GatewayError if the vendor reports a failure.
   */
  read(received: ReadEvent): Uint8Array | undefined {
    const event = objectOf(received)
    if (!event) return undefined
    if (isJsonObject(event.error)) throw reportedFailure(event.error)
    if (event.type === "speech.audio.done") {
      this.isOver = true
      const usage = objectAt(event, "usage") ?? {}
      const input = quantityOf(usage.input_tokens)
      const output = quantityOf(usage.output_tokens)
      if (input !== undefined && output !== undefined) {
        this.usage = { ...NO_USAGE, inputFresh: input, audioOutput: output }
      }
      return undefined
    }
    const { type, audio } = event
    const isAudioEvent = type === "speech.audio.delta" && typeof audio === "string"
    return isAudioEvent ? Buffer.from(audio, "base64") : undefined
  }
}

/** Returns a chunk of audio as OpenAI's event. */
export function audioEvent(sound: Uint8Array): Uint8Array {
  const audio = Buffer.from(sound.buffer, sound.byteOffset, sound.byteLength).toString("base64")
  return encodeText(formatEvent({ data: JSON.stringify({ type: "speech.audio.delta", audio }) }))
}

/** Returns OpenAI's last event. */
export function doneEvent(used: Usage): Uint8Array {
  const input = totalInput(used)
  const output = totalOutput(used)
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output }
  return encodeText(formatEvent({ data: JSON.stringify({ type: "speech.audio.done", usage }) }))
}

import type { Exchange } from "../exchange.ts"
import { readForm } from "../form.ts"
import { arrayOf, isObject, type JsonObject, objectOf, stringOf } from "../json.ts"
import type { Answered, JsonOperation } from "../json-operation.ts"
import { GOOGLE } from "../manners.ts"
import { credentialError, reject } from "../openai-chat/errors.ts"
import { bodyOf } from "../stream.ts"
import { geminiMedia } from "../gemini/media.ts"
import { countTokens } from "../tokens.ts"
import { type Recognition, recognize } from "./recognition.ts"
import { CONTENT_TYPES, type Form, sound, spokenSeconds, wholeSound } from "./sound.ts"

function json(exchange: Exchange, body: object, status = 200): Response {
  exchange.finish()
  return Response.json(body, { status })
}

function soundResponse(exchange: Exchange, form: Form, text: string): Response {
  const body = bodyOf(exchange, sound(form, spokenSeconds(text)))
  return new Response(body, { headers: { "content-type": CONTENT_TYPES[form] } })
}

function queryOf(exchange: Exchange): URLSearchParams {
  return new URLSearchParams(exchange.path.split("?")[1] ?? "")
}

/** Returns Deepgram's rejection; undefined if the credential is valid. */
function deepgramRejection(exchange: Exchange): Response | undefined {
  const isKnown = /^Token (?!wrong$)\S+$/.test(exchange.headers.get("authorization") ?? "")
  const rejection = {
    err_code: "INVALID_AUTH",
    err_msg: "Invalid credentials.",
    request_id: "simulated",
  }
  return isKnown ? undefined : json(exchange, rejection, 401)
}

/** Answers Deepgram's `POST /v1/speak` (docs/contribute/wire/speech.md#f5). */
export async function answerDeepgramSpeech(exchange: Exchange): Promise<Response> {
  const body = await exchange.readBody()
  const rejected = deepgramRejection(exchange)
  if (rejected !== undefined) return rejected
  const query = queryOf(exchange)
  const model = query.get("model") ?? ""
  if (!model.startsWith("aura-")) {
    const message = "No such model/version combination found."
    return json(exchange, { err_code: "INVALID_QUERY_PARAMETER", err_msg: message }, 400)
  }
  const encoding = query.get("encoding") ?? "mp3"
  const form =
    encoding === "linear16" ? (query.get("container") === "none" ? "pcm" : "wav") : encoding
  return soundResponse(exchange, form as Form, stringOf(objectOf(body).text))
}

/** Answers Deepgram's `POST /v1/listen` (docs/contribute/wire/transcription.md#f5). */
export async function answerDeepgramListen(exchange: Exchange): Promise<Response> {
  const bytes = new Uint8Array(await exchange.request.arrayBuffer())
  exchange.state.log.keepBody(exchange.record, { size: bytes.length }, bytes.length)
  const rejected = deepgramRejection(exchange)
  if (rejected !== undefined) return rejected
  const query = queryOf(exchange)
  const recognition = recognize(bytes)
  const isDiarized = query.get("diarize") === "true"
  const words = recognition.words.map(({ text, start, end }) => ({
    word: text.toLowerCase().replace(/\W/g, ""),
    start,
    end,
    confidence: 0.99,
    punctuated_word: text,
  }))
  const utterances = recognition.segments.map(({ text, start, end }, index) => ({
    start,
    end,
    confidence: 0.99,
    channel: 0,
    transcript: text,
    ...(isDiarized && { speaker: index }),
    words: [],
  }))
  const language = query.get("detect_language") === "true" ? { detected_language: "en" } : {}
  return json(exchange, {
    metadata: { request_id: "simulated", duration: recognition.duration, channels: 1 },
    results: {
      channels: [
        { alternatives: [{ transcript: recognition.text, confidence: 0.99, words }], ...language },
      ],
      utterances,
    },
  })
}

/** Returns ElevenLabs' rejection (docs/contribute/wire/speech.md#f3); undefined if the credential is valid. */
function elevenLabsRejection(exchange: Exchange): Response | undefined {
  const key = exchange.headers.get("xi-api-key") ?? ""
  const detail = { status: "invalid_api_key", message: "Invalid API key" }
  return key === "" || key === "wrong" ? json(exchange, { detail }, 401) : undefined
}

/** Answers ElevenLabs' `POST /v1/text-to-speech/{voice}` (docs/contribute/wire/speech.md#f3). */
export async function answerElevenLabsSpeech(exchange: Exchange): Promise<Response> {
  const body = objectOf(await exchange.readBody())
  const rejected = elevenLabsRejection(exchange)
  if (rejected !== undefined) return rejected
  const voice = /text-to-speech\/([^/?]+)/.exec(exchange.path)?.[1] ?? ""
  if (voice === "nobody") {
    const detail = {
      status: "voice_not_found",
      message: `A voice with the voice_id ${voice} was not found.`,
    }
    return json(exchange, { detail }, 400)
  }
  const form = (queryOf(exchange).get("output_format") ?? "mp3").split("_")[0] as Form
  return soundResponse(exchange, form, stringOf(body.text))
}

/** Answers ElevenLabs' `POST /v1/speech-to-text` (docs/contribute/wire/transcription.md#f6). */
export async function answerElevenLabsListen(exchange: Exchange): Promise<Response> {
  const form = await readForm(exchange)
  const rejected = elevenLabsRejection(exchange)
  if (rejected !== undefined) return rejected
  const [file] = form?.files ?? []
  if (!file || !form?.fields["model_id"]) {
    return json(exchange, { detail: [{ loc: ["body", "file"], msg: "Field required" }] }, 422)
  }
  const recognition = recognize(file.bytes)
  const spaced = recognition.words.flatMap((word, index) => {
    const space = { text: " ", start: word.start, end: word.start, type: "spacing" }
    return [
      ...(index > 0 ? [space] : []),
      { ...word, type: "word", speaker_id: "speaker_0", logprob: 0 },
    ]
  })
  return json(exchange, {
    language_code: "eng",
    language_probability: 0.9,
    text: recognition.text,
    words: spaced,
  })
}

/** Answers xAI's `POST /v1/tts` (docs/contribute/wire/speech.md#f6). */
export async function answerXaiSpeech(exchange: Exchange): Promise<Response> {
  const body = objectOf(await exchange.readBody())
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  const form = stringOf(objectOf(body.output_format).codec) || "mp3"
  return soundResponse(exchange, form as Form, stringOf(body.text))
}

/** Answers xAI's `POST /v1/stt` (recorded). */
export async function answerXaiListen(exchange: Exchange): Promise<Response> {
  const form = await readForm(exchange)
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  const { text, duration, words } = recognize(form?.files[0]?.bytes ?? new Uint8Array())
  return json(exchange, { text, language: "en", duration, words })
}

/**
 * Simulates Gemini's models for speech, and models that transcribe on request (docs/contribute/wire/transcription.md#f8
 * and docs/contribute/wire/speech.md#f4).
 */
export function gemini(model: string, isStream = false): JsonOperation {
  return {
    manner: GOOGLE,
    model,
    respond: (body): Answered =>
      model.includes("tts") ? geminiSpeech(body, model, isStream) : geminiHearing(body),
  }
}

function partsOf(body: JsonObject): JsonObject[] {
  const [content] = arrayOf(body.contents)
  return arrayOf(objectOf(content).parts).filter(isObject)
}

function geminiSpeech(body: JsonObject, model: string, isStream: boolean): Answered {
  const config = objectOf(body.generationConfig)
  if (!arrayOf(config.responseModalities).includes("AUDIO")) {
    return { rejected: "The requested combination of response modalities (TEXT) is not supported." }
  }
  const voice = objectOf(objectOf(objectOf(config.speechConfig).voiceConfig).prebuiltVoiceConfig)
  if (!/^[A-Z]/.test(stringOf(voice.voiceName))) {
    return { rejected: `Voice name ${stringOf(voice.voiceName)} is not supported.` }
  }
  const text = stringOf(partsOf(body)[0]?.text)
  const seconds = spokenSeconds(text)
  const sound = Buffer.from(wholeSound("pcm", seconds))
  // Each chunk of a stream contains whole samples and is encoded separately as base64.
  const half = isStream ? 2 * Math.floor(sound.byteLength / 4) : sound.byteLength
  const parts = [sound.subarray(0, half), sound.subarray(half)]
    .filter((piece) => piece.byteLength > 0)
    .map((piece) => ({
      inlineData: { mimeType: "audio/L16;codec=pcm;rate=24000", data: piece.toString("base64") },
    }))
  const output = Math.ceil(seconds * 25)
  return geminiMedia(parts, {
    model,
    isStream,
    input: countTokens(text),
    output,
    modality: "AUDIO",
  })
}

function geminiHearing(body: JsonObject): Answered {
  const parts = partsOf(body)
  const data = parts.map((part) => stringOf(objectOf(part.inlineData).data)).join("")
  const instruction = parts.map((part) => stringOf(part.text)).join("")
  const isEnglish = instruction.startsWith("Translate")
  const recognition: Recognition = recognize(
    Buffer.from(data, "base64"),
    isEnglish ? "In English, a sound" : "A sound",
  )
  const audio = Math.ceil(recognition.duration * 32)
  const input = countTokens(instruction) + audio
  return {
    json: geminiResponse([{ text: recognition.text }], {
      input,
      audio,
      output: countTokens(recognition.text),
    }),
  }
}

interface Counted {
  readonly input: number
  readonly audio: number
  readonly output: number
}

function geminiResponse(parts: object[], { input, audio, output }: Counted): object {
  return {
    candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      promptTokensDetails: [
        { modality: "TEXT", tokenCount: input - audio },
        ...(audio > 0 ? [{ modality: "AUDIO", tokenCount: audio }] : []),
      ],
    },
  }
}

import type { Exchange } from "../exchange.ts"
import { readForm } from "../form.ts"
import { credentialError, reject } from "../openai-chat/errors.ts"
import { recognize } from "./recognition.ts"

/** Answers Cohere's `POST /v2/audio/transcriptions` (docs.cohere.com/reference/create-audio-transcription). */
export async function answerCohereListen(exchange: Exchange): Promise<Response> {
  const form = await readForm(exchange)
  const rejected = credentialError(exchange.headers)
  if (rejected !== undefined) return reject(exchange, rejected)
  const [file] = form?.files ?? []
  const { model, language } = form?.fields ?? {}
  exchange.finish()
  if (file === undefined || !model || !language) {
    const missing = file === undefined ? "file" : model ? "language" : "model"
    return Response.json({ message: `${missing} is required` }, { status: 400 })
  }
  return Response.json({ text: ` ${recognize(file.bytes).text}` })
}

import { type Content, type GenerateContentConfig, GoogleGenAI } from "@google/genai"
import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import type { CallerFormat } from "./caller-formats.ts"
import { object } from "./reading.ts"
import { wholeOfChunks } from "./whole-of-stream.ts"

const PLACE = "/v1beta/models"

/** Google's dialect. The address contains the model and determines whether the response is streamed. */
export const GOOGLE: CallerFormat = {
  dialect: "gemini",
  path: PLACE,
  addressOf({ model, stream }) {
    const method = stream === true ? "streamGenerateContent?alt=sse" : "generateContent"
    return `${PLACE}/${String(model)}:${method}`
  },
  request: (model, tools) => ({
    model,
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    ...(tools.length > 0 && {
      tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
    }),
  }),
  async stream({ url, key }, { model, contents, tools, generationConfig }, fetch) {
    const { models } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, fetch } })
    const config = { ...object(generationConfig), ...(tools !== undefined && { tools }) }
    const stream = await models.generateContentStream({
      model: String(model),
      contents: contents as unknown as Content[],
      config: config as unknown as GenerateContentConfig,
    })
    const chunks: JsonObject[] = []
    for await (const chunk of stream) {
      const told: unknown = JSON.parse(JSON.stringify(chunk))
      if (isJsonObject(told)) chunks.push(told)
    }
    // The client does not combine chunks. Its `chats` keep them unchanged.
    return wholeOfChunks(chunks)
  },
}
